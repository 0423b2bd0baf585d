import type { GenerationView } from '../../src/faces/common/face.js';

/** The view of a generation that faces read, for specs of printers. */
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
