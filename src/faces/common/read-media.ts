import type { DocumentSource, MediaSource } from '../../core/conversation/content.js';
import { plainMediaType } from '../../core/conversation/media-type.js';
import { isOfficeFile, ONLY_PDFS } from '../../core/conversation/office-file.js';
import { plainBase64 } from '../../core/json/plain-base64.js';
import { invalidField } from './invalid-field.js';

const PDF = 'application/pdf';
const ADDRESS = /^https?:\/\//i;

/**
 * The content of a file: its address, or its bytes in a data URL.
 * @throws GatewayError for what is neither a PDF nor a text
 */
export function readFileData(data: string, name: string | undefined, path: string): DocumentSource {
  const source = readMedia(data, path);
  if (source.type === 'url') return source;
  if (isOfficeFile({ mediaType: source.mediaType, name, base64: source.data })) throw invalidField(path, ONLY_PDFS);
  if (source.mediaType === PDF) return source;
  // Targets accept plain text only as text.
  if (source.mediaType.startsWith('text/')) {
    return { type: 'text', text: Buffer.from(source.data, 'base64').toString('utf8') };
  }
  throw invalidField(path, `must be a PDF or a text, not ${source.mediaType.slice(0, 64)}`);
}

/**
 * An address, or the bytes of a data URL, which stay in base64.
 * @throws GatewayError for anything else
 */
export function readMedia(url: string, path: string): MediaSource {
  if (ADDRESS.test(url)) return { type: 'url', url };
  const comma = url.indexOf(',');
  const head = url.slice(0, comma).toLowerCase();
  if (comma < 0 || !head.startsWith('data:') || !head.endsWith(';base64')) {
    throw invalidField(path, 'must be an http or https address, or a data URL in base64');
  }
  const [mediaType = ''] = head.slice('data:'.length).split(';');
  return { type: 'base64', mediaType: plainMediaType(mediaType), data: plainBase64(url.slice(comma + 1)) };
}
