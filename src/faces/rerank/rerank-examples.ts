import type { JsonObject } from '../../core/json/json.js';

const query = 'Where does the rope run?';

/** Bodies of `POST /rerank`. The sandbox answers without any account at a provider. */
export const RERANK_EXAMPLES: Readonly<Record<string, JsonObject>> = {
  texts: { model: 'sandbox/rerank', query, documents: ['A cat sleeps.', 'The rope runs through the fairlead.'] },
  best: {
    model: 'sandbox/rerank',
    query,
    documents: [{ text: 'A cat sleeps.' }, { text: 'The rope runs through the fairlead.' }],
    top_n: 1,
  },
};
