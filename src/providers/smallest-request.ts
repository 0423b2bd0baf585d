import type { ModelRequest } from '../core/conversation/request.js';

/**
 * Output limit of the smallest request. OpenAI takes no lower one in the responses format, nor for some models in the
 * chat format (github.com/earendil-works/pi/issues/6265, github.com/braintrustdata/lingua/pull/186; read 2026-11-24).
 */
export const SMALLEST_ANSWER_TOKENS = 16;

/** A request that every dialect can encode and every provider takes; it tests an endpoint or a credential. */
export const SMALLEST_REQUEST: Omit<ModelRequest, 'model'> = {
  system: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Say: ok' }] }],
  stream: false,
  maxOutputTokens: SMALLEST_ANSWER_TOKENS,
  sampling: {},
  tools: [],
  preferences: {},
  plugins: [],
  betas: [],
};
