import type { Dialect } from '../../../core/provider.js';
import { faultOfFailure } from '../openai-faults.js';
import { decodeWholeResponses, ResponsesStreamDecoder } from './decode.js';
import { encodeResponses } from './encode.js';
import { TABLE } from './table.js';

/** The responses format, stateless, of OpenAI and the providers that follow it. Media are sent by address. */
export const openaiResponses: Dialect = {
  id: 'openai-responses',
  vendor: 'openai-responses',
  defaultCredential: 'bearer',
  table: TABLE,
  encode: encodeResponses,
  decodeStream: (context) => new ResponsesStreamDecoder(context),
  decodeWhole: decodeWholeResponses,
  fault: faultOfFailure,
};
