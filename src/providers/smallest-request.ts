import type { ModelRequest } from '../core/conversation/request.js';

/**
 * Most tokens of the answer. OpenAI takes no fewer in the responses format, and of some models in the chat format
 * either (github.com/earendil-works/pi/issues/6265, github.com/braintrustdata/lingua/pull/186; read 2026-11-24).
 */
export const SMALLEST_ANSWER_TOKENS = 16;

/**
 * The least that every dialect can say and every provider takes: what an endpoint or a credential is tried out with.
 */
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
