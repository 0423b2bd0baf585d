import { list, type TSchema } from '../../../shared/http/schema.js';

/** Inputs or documents of one request, as at OpenAI (docs/use/embeddings.md#limits). */
export const INPUTS_MAX = 2_048;
export const inputList = <Item extends TSchema>(item: Item) => list(item, { min: 1, max: INPUTS_MAX });
