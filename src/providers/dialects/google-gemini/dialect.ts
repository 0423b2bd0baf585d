import type { Dialect } from '../../../core/provider.js';
import { findRequiredMedia } from '../required-media.js';
import { decodeCount, encodeCount } from './count.js';
import { decodeWholeGemini, GeminiStreamDecoder } from './decode.js';
import { EMBED } from './embed.js';
import { encodeGemini } from './encode.js';
import { faultOfFailure } from './fault.js';
import { isReadByVendor } from './media-types.js';
import { TABLE } from './table.js';

/** Google's own format, `generateContent`, for the Gemini API and Vertex. */
export const googleGemini: Dialect = {
  id: 'google-gemini',
  vendor: 'google',
  defaultCredential: 'x-goog-api-key',
  requiredMedia: (request) => findRequiredMedia(request, ['image', 'document'], isReadByVendor),
  table: TABLE,
  encode: encodeGemini,
  decodeStream: (context) => new GeminiStreamDecoder(context),
  decodeWhole: decodeWholeGemini,
  fault: faultOfFailure,
  counting: { encode: encodeCount, decode: decodeCount },
  tasks: { embeddings: EMBED },
};
