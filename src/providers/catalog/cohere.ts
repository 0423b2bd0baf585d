import type { ProviderDefinition } from '../../core/provider.js';

/**
 * Cohere, by its own format. The fields are those of docs.cohere.com/reference/chat that no face declares; read
 * 2026-11-23.
 */
export const cohere: ProviderDefinition = {
  slug: 'cohere',
  credential: 'bearer',
  quirks: {},
  undeclared: { only: new Set(['citation_options', 'safety_mode', 'strict_tools']) },
};
