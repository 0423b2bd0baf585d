import type { ProviderDefinition } from '../../core/provider.js';

/** The Gemini API of Google AI Studio. It serves models of several generations, which their names identify. */
export const googleAiStudio: ProviderDefinition = {
  slug: 'google-ai-studio',
  credential: 'x-goog-api-key',
  quirks: {},
};
