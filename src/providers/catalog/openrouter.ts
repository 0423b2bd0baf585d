import { EFFORTS } from '../../core/conversation/effort.js';
import type { ProviderDefinition } from '../../core/provider.js';

/** OpenRouter: a router itself, so it takes what any of its models takes. */
export const openrouter: ProviderDefinition = {
  slug: 'openrouter',
  credential: 'bearer',
  quirks: {
    reasoningStyle: 'reasoning_object',
    efforts: EFFORTS,
    returnsReasoningDetails: true,
    acceptsFiles: true,
    acceptsCacheMarkers: true,
    serviceTiers: true,
  },
};
