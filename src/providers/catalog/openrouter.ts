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
  // openrouter.ai/docs/api/reference/parameters, and the request type of @openrouter/sdk; what it hands to single
  // providers by name is there with them.
  undeclared: {
    only: new Set([
      'prediction', 'prompt_cache_options', 'raw_mode', 'safe_prompt', 'safety_identifier', 'structured_outputs',
    ]), // oxfmt-ignore
  },
};
