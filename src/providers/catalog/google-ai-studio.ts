import type { ProviderDefinition } from '../../core/provider.js';

/** The Gemini API of Google AI Studio. Models of several generations answer there, and their names tell which. */
export const googleAiStudio: ProviderDefinition = {
  slug: 'google-ai-studio',
  credential: 'x-goog-api-key',
  quirks: {},
};
