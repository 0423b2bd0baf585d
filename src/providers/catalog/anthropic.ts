import type { ProviderDefinition } from '../../core/provider.js';

/** Anthropic. */
export const anthropic: ProviderDefinition = { slug: 'anthropic', credential: 'x-api-key', quirks: {} };
