import type { Dialect } from '../../../core/provider.js';
import { decodeMessage, MessagesDecoder } from './decode.js';
import { decodeCount, encodeCount } from './count.js';
import { carriesParameter, encodeMessages } from './encode.js';
import { readFault } from './fault.js';

/** Anthropic's Messages format, in which this gateway's own Messages face speaks: nothing is lost either way. */
export const anthropicMessages: Dialect = {
  id: 'anthropic-messages',
  vendor: 'anthropic',
  defaultCredential: 'x-api-key',
  carries: carriesParameter,
  encode: encodeMessages,
  decodeStream: () => new MessagesDecoder(),
  decodeWhole: decodeMessage,
  fault: readFault,
  counting: { encode: encodeCount, decode: decodeCount },
};
