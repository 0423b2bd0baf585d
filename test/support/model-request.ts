import type { ModelRequest } from '../../src/core/conversation/request.js';

/** A request of which nothing was said but `parts`: to `a/b`, empty, answered whole. */
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
