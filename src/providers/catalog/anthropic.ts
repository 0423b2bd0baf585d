import type { ProviderDefinition } from '../../core/provider.js';
import { DENIED_FIELDS } from './denied-fields.js';

/** Anthropic. */
export const anthropic: ProviderDefinition = {
  slug: 'anthropic',
  credential: 'x-api-key',
  quirks: {},
  undeclared: { allBut: DENIED_FIELDS },
};
