import type { Dialect } from '../../../core/provider.js';
import { CohereStreamDecoder, decodeWholeCohere } from './decode.js';
import { EMBED, RERANK } from './embed.js';
import { encodeCohere } from './encode.js';
import { faultOfFailure } from './fault.js';
import { TABLE } from './table.js';

/** Cohere's chat format, version 2. Images are sent by address; documents are texts. */
export const cohereChat: Dialect = {
  id: 'cohere-chat',
  vendor: 'cohere',
  defaultCredential: 'bearer',
  table: TABLE,
  encode: encodeCohere,
  decodeStream: (context) => new CohereStreamDecoder(context),
  decodeWhole: decodeWholeCohere,
  fault: faultOfFailure,
  tasks: { embeddings: EMBED, rerank: RERANK },
};
