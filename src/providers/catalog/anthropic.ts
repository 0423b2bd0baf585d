import type { ProviderDefinition } from '../../core/provider.js';
import { DENIED_FIELDS } from './denied-fields.js';

/** Anthropic. */
export const anthropic: ProviderDefinition = {
  slug: 'anthropic',
  credential: 'x-api-key',
  // Anthropic has every tool that it defines: platform.claude.com/docs/en/agents-and-tools/tool-use/tool-reference,
  // read 2026-11-25.
  quirks: { vendorTools: 'all' },
  undeclared: { allBut: DENIED_FIELDS },
};
