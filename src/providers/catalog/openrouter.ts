import { EFFORTS } from '../../core/conversation/effort.js';
import type { ProviderDefinition } from '../../core/provider.js';

/** OpenRouter is itself a router, so it takes every field that any of its models takes. */
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
  // openrouter.ai/docs/api/reference/parameters, and the request type of @openrouter/sdk. Fields that it passes to
  // single providers by name are listed with those providers.
  undeclared: {
    only: new Set([
      'prediction', 'prompt_cache_options', 'raw_mode', 'safe_prompt', 'safety_identifier', 'structured_outputs',
    ]), // oxfmt-ignore
  },
};
