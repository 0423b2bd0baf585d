import type { Dialect } from '../../../core/provider.js';
import { ChatStreamDecoder, decodeWholeChat } from './decode.js';
import { encodeChat } from './encode.js';
import { faultOfFailure } from '../openai-faults.js';
import { findRequiredMedia } from '../required-media.js';
import { EMBEDDINGS } from './embeddings.js';
import { RERANK } from './rerank.js';
import { TABLE } from './table.js';

/** The chat-completions format of OpenAI and the many providers that follow it. */
export const openaiChat: Dialect = {
  id: 'openai-chat',
  vendor: 'openai',
  defaultCredential: 'bearer',
  // Images are sent by address.
  requiredMedia: (request) => findRequiredMedia(request, ['document']),
  table: TABLE,
  encode: encodeChat,
  decodeStream: (context) => new ChatStreamDecoder(context),
  decodeWhole: decodeWholeChat,
  fault: faultOfFailure,
  tasks: { embeddings: EMBEDDINGS, rerank: RERANK },
};
