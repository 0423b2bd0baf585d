import type { Dialect } from '../../../core/provider.js';
import { decodeMessage, MessagesDecoder } from './decode.js';
import { decodeCount, encodeCount } from './count.js';
import { encodeMessages } from './encode.js';
import { readFault } from './fault.js';
import { TABLE } from './table.js';

/** Anthropic's Messages format, in which this gateway's own Messages face speaks: nothing is lost either way. */
export const anthropicMessages: Dialect = {
  id: 'anthropic-messages',
  vendor: 'anthropic',
  defaultCredential: 'x-api-key',
  table: TABLE,
  encode: encodeMessages,
  decodeStream: (context) => new MessagesDecoder(context),
  decodeWhole: decodeMessage,
  fault: readFault,
  counting: { encode: encodeCount, decode: decodeCount },
};
