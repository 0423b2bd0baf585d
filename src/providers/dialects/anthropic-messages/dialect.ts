import type { Dialect } from '../../../core/provider.js';
import { decodeMessage, MessagesDecoder } from './decode.js';
import { decodeCount, encodeCount } from './count.js';
import { encodeMessages } from './encode.js';
import { readFault } from './fault.js';
import { TABLE } from './table.js';

/**
 * Anthropic's Messages format, which is also the format of this gateway's Messages face: nothing is lost either way.
 */
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
