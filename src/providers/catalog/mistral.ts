import type { ProviderDefinition } from '../../core/provider.js';

/**
 * Mistral: refuses fields it does not know, and tool-call ids that are not nine letters and digits.
 * Streams report usage unasked.
 */
export const mistral: ProviderDefinition = {
  slug: 'mistral',
  credential: 'bearer',
  quirks: {
    omit: ['stream_options', 'user', 'seed', 'logit_bias', 'logprobs', 'top_logprobs'],
    toolCallIdLength: 9,
  },
  // Reference: docs.mistral.ai, chat completion endpoint.
  undeclared: { only: new Set(['prompt_mode', 'random_seed', 'safe_prompt']) },
};
