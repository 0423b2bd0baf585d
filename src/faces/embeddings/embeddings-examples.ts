import type { JsonObject } from '../../core/json/json.js';

const model = 'sandbox/embeddings';

/** Bodies of `POST /embeddings`. The sandbox answers without any account at a provider. */
export const EMBEDDINGS_EXAMPLES: Readonly<Record<string, JsonObject>> = {
  one: { model, input: 'The fairlead leads the rope.' },
  several: { model, input: ['A boat.', 'A rope.'], dimensions: 32, input_type: 'search_document' },
  tokens: { model, input: [[791, 15912], [32, 16595]], encoding_format: 'base64' }, // oxfmt-ignore
  routed: { model, input: 'A boat.', provider: { sort: 'price', data_collection: 'deny' }, session_id: 'index-1' },
};
