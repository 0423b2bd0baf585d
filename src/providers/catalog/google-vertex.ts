import type { ProviderDefinition } from '../../core/provider.js';

/**
 * Google's cloud, on its platform, which adds the credential. No field outside the faces' schemas is sent: its
 * endpoints refuse bodies with fields that they do not know.
 */
export const googleVertex: ProviderDefinition = {
  slug: 'google-vertex',
  credential: 'bearer',
  quirks: { reasoningStyle: 'reasoning_effort' },
};
