import type { ModelRequest } from '../../src/core/conversation/request.js';

/** A request with only `parts` set: to `a/b`, empty, answered whole. */
export const modelRequest = (parts: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'a/b',
  system: [],
  messages: [],
  stream: false,
  sampling: {},
  tools: [],
  preferences: {},
  plugins: [],
  betas: [],
  ...parts,
});
