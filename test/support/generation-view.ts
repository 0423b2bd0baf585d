import type { GenerationView } from '../../src/inference/inference.js';

/** What faces read of a generation, made up for specs of printers. */
export const generationView = (view: Partial<GenerationView> = {}): GenerationView => ({
  id: 'gen-7-a',
  model: 'author/model',
  provider: 'Provider',
  isByok: false,
  bill: undefined,
  charged: undefined,
  extras: {},
  files: [],
  upstreamBody: undefined,
  ...view,
});
