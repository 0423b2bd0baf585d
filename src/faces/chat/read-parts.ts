import type {
  ContentBlock,
  DocumentBlock,
  DocumentSource,
  ImageBlock,
  MediaSource,
  TextBlock,
  ToolResultContent,
} from '../../core/conversation/content.js';
import { plainMediaType } from '../../core/conversation/media-type.js';
import { isOfficeFile, ONLY_PDFS } from '../../core/conversation/office-file.js';
import { plainBase64 } from '../../core/json/plain-base64.js';
import { readCacheMarker } from '../../core/conversation/read-cache-marker.js';
import { invalid } from './invalid.js';
import type { WirePart, WireToolPart } from './schemas/parts.js';

type WireImage = Extract<WirePart, { type: 'image_url' }>;
type WireFile = Extract<WirePart, { type: 'file' }>;
type WireText = Extract<WirePart, { type: 'text' }>;

const PDF = 'application/pdf';
const ADDRESS = /^https?:\/\//i;

/**
 * One part of a user's message.
 * @param path the part, for errors
 * @throws GatewayError for media that are neither an address nor a data URL
 */
export function readUserPart(part: WirePart, path: string): ContentBlock {
  switch (part.type) {
    case 'input_audio': {
      const { data, format } = part.input_audio;
      return {
        type: 'audio',
        data: plainBase64(data),
        format,
        ...(part.cache_control && { cacheMarker: readCacheMarker(part.cache_control) }),
      };
    }
    case 'video_url':
    case 'input_video':
      return {
        type: 'video',
        source: readMedia(part.video_url.url, `${path}.video_url.url`),
        ...(part.cache_control && { cacheMarker: readCacheMarker(part.cache_control) }),
      };
    case 'text':
    case 'image_url':
    case 'file':
      return readToolPart(part, path);
  }
}

/** One part of a tool's result. @throws GatewayError as `readUserPart` */
export function readToolPart(part: WireToolPart, path: string): Exclude<ToolResultContent, { type: 'tool-reference' }> {
  switch (part.type) {
    case 'text':
      return readText(part);
    case 'image_url':
      return readImage(part, path);
    case 'file':
      return readFile(part, path);
  }
}

export const readText = ({ text, cache_control: marker }: WireText): TextBlock => ({
  type: 'text',
  text,
  ...(marker && { cacheMarker: readCacheMarker(marker) }),
});

/** @throws GatewayError as `readUserPart` */
export function readImage({ image_url: image, cache_control: marker }: WireImage, path: string): ImageBlock {
  return {
    type: 'image',
    source: readMedia(image.url, `${path}.image_url.url`),
    ...(image.detail !== undefined && { detail: image.detail }),
    ...(marker && { cacheMarker: readCacheMarker(marker) }),
  };
}

function readFile({ file, cache_control: marker }: WireFile, path: string): DocumentBlock {
  return {
    type: 'document',
    source: readFileSource(file, `${path}.file`),
    ...(file.filename !== undefined && file.filename !== '' && { title: file.filename }),
    ...(marker && { cacheMarker: readCacheMarker(marker) }),
  };
}

function readFileSource(file: WireFile['file'], path: string): DocumentSource {
  const { file_data: data, file_id: fileId, filename: name } = file;
  if (data === undefined) {
    if (fileId === undefined) throw invalid(path, 'needs file_data or file_id');
    return { type: 'file', fileId };
  }
  const source = readMedia(data, `${path}.file_data`);
  if (source.type === 'url') return source;
  if (isOfficeFile({ mediaType: source.mediaType, name, base64: source.data })) {
    throw invalid(`${path}.file_data`, ONLY_PDFS);
  }
  if (source.mediaType === PDF) return source;
  // Targets accept plain text only as text.
  if (source.mediaType.startsWith('text/')) {
    return { type: 'text', text: Buffer.from(source.data, 'base64').toString('utf8') };
  }
  throw invalid(`${path}.file_data`, `must be a PDF or a text, not ${source.mediaType.slice(0, 64)}`);
}

/** An address, or the bytes of a data URL, which stay in base64. */
function readMedia(url: string, path: string): MediaSource {
  if (ADDRESS.test(url)) return { type: 'url', url };
  const comma = url.indexOf(',');
  const head = url.slice(0, comma).toLowerCase();
  if (comma < 0 || !head.startsWith('data:') || !head.endsWith(';base64')) {
    throw invalid(path, 'must be an http or https address, or a data URL in base64');
  }
  const [mediaType = ''] = head.slice('data:'.length).split(';');
  return { type: 'base64', mediaType: plainMediaType(mediaType), data: plainBase64(url.slice(comma + 1)) };
}
