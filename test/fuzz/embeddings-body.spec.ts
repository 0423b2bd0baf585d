// See `fuzzBodies`, here for bodies of `POST /embeddings` with every field and kind of input.
import { fuzzBodies, type Body, type Value } from './fuzz-bodies.js';
import { computingProviders } from './task-bodies.js';

const ASK = { model: 'sandbox/embeddings', input: 'Hello there' };
const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const PARTS = [
  { type: 'text', text: 'a' },
  { type: 'image_url', image_url: { url: PNG } },
  { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  { type: 'input_video', input_video: { data: 'AAAA', format: 'mp4' } },
  { type: 'input_file', input_file: { data: 'JVBERi0=', format: 'pdf' } },
];
const FIELDS: Record<string, Value> = {
  models: ['a'],
  dimensions: 256,
  encoding_format: 'base64',
  input_type: 'search_query',
  provider: { sort: 'price', only: ['a'] },
  user: 'u',
  session_id: 's',
  trace: { trace_id: 'a', other: 1 },
  preset: null,
};
const INPUTS: readonly Value[] = [
  'a',
  ['a', 'b'],
  [1, 2],
  [[1], [2, 3]],
  ...PARTS.map((part) => [{ content: [part] }]),
];
const BODIES: readonly Body[] = [
  ...Object.entries(FIELDS).map(([field, value]) => ({ ...ASK, [field]: value })),
  ...INPUTS.map((input) => ({ ...ASK, input })),
  { ...FIELDS, ...ASK, provider: {} },
];
const PLACES = new Set(['model', 'input', ...Object.keys(FIELDS), 'body', '__proto__']);

fuzzBodies({
  path: '/embeddings',
  ask: ASK,
  bodies: BODIES,
  fieldPaths: PLACES,
  runs: 1_500,
  startProviders: () => computingProviders('embeddings'),
});
