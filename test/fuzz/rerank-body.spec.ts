// See `fuzzBodies`, here for bodies of `POST /rerank` with every field and kind of document.
import { fuzzBodies, type Body, type Value } from './fuzz-bodies.js';
import { computingProviders } from './task-bodies.js';

const ASK = { model: 'sandbox/rerank', query: 'Hello?', documents: ['Hello there', 'b'] };
const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const FIELDS: Record<string, Value> = {
  models: ['a'],
  top_n: 1,
  provider: { sort: 'price', only: ['a'] },
  user: 'u',
  session_id: 's',
  trace: { trace_id: 'a', other: 1 },
  preset: null,
};
const DOCUMENTS: readonly Value[] = [['a'], [{ text: 'a' }], [{ image: PNG }], [{ text: 'a', image: PNG }, 'b']];
const BODIES: readonly Body[] = [
  ...Object.entries(FIELDS).map(([field, value]) => ({ ...ASK, [field]: value })),
  ...DOCUMENTS.map((documents) => ({ ...ASK, documents })),
  { ...FIELDS, ...ASK, provider: {} },
];
const PLACES = new Set(['model', 'query', 'documents', ...Object.keys(FIELDS), 'body', '__proto__']);

fuzzBodies({
  path: '/rerank',
  ask: ASK,
  bodies: BODIES,
  fieldPaths: PLACES,
  runs: 1_500,
  startProviders: () => computingProviders('rerank'),
});
