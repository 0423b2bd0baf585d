import type { ProviderDefinition } from '../../core/provider.js';

/**
 * Mistral refuses fields it does not know, and tool-call ids that are not nine letters and digits. Streams report usage
 * without `stream_options`.
 */
export const mistral: ProviderDefinition = {
  slug: 'mistral',
  credential: 'bearer',
  quirks: {
    omit: ['stream_options', 'user', 'seed', 'logit_bias', 'logprobs', 'top_logprobs'],
    toolCallIdLength: 9,
    // "Missing `additionalProperties: False` in object schema": mistralai/client-ts, issue 107, read 2026-11-29.
    checksStrictSchemas: true,
  },
  // Reference: docs.mistral.ai, chat completion endpoint.
  undeclared: { only: new Set(['prompt_mode', 'random_seed', 'safe_prompt']) },
};
