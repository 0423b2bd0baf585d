import type { Dialect } from '../../../core/provider.js';
import { findRequiredMedia } from '../required-media.js';
import { decodeCount, encodeCount } from './count.js';
import { ConverseStreamDecoder, decodeWholeConverse } from './decode.js';
import { encodeConverse } from './encode.js';
import { readFault } from './fault.js';
import { EMBED, RERANK } from './invoke-tasks.js';
import { TABLE } from './table.js';

/** Bedrock's Converse, one format for the models of many vendors (docs/use/translation/bedrock-converse.md). */
export const bedrockConverse: Dialect = {
  id: 'bedrock-converse',
  vendor: 'amazon',
  defaultCredential: 'bearer',
  // Converse accepts bytes, or objects in the account's own storage.
  requiredMedia: (request) => findRequiredMedia(request, ['image', 'document']),
  table: TABLE,
  encode: encodeConverse,
  decodeStream: (context) => new ConverseStreamDecoder(context),
  decodeWhole: decodeWholeConverse,
  fault: readFault,
  counting: { encode: encodeCount, decode: decodeCount },
  tasks: { embeddings: EMBED, rerank: RERANK },
};
