import type {
  ContentBlock,
  DocumentBlock,
  DocumentSource,
  ImageBlock,
  TextBlock,
  ToolResultContent,
} from '../../core/conversation/content.js';
import { plainBase64 } from '../../core/json/plain-base64.js';
import { readCacheMarker } from '../../core/conversation/read-cache-marker.js';
import { readFileData, readMedia } from '../common/read-media.js';
import { invalidField } from '../common/invalid-field.js';
import type { WirePart, WireToolPart } from './schemas/parts.js';

type WireImage = Extract<WirePart, { type: 'image_url' }>;
type WireFile = Extract<WirePart, { type: 'file' }>;
type WireText = Extract<WirePart, { type: 'text' }>;

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

function readFileSource(
  { file_data: data, file_id: fileId, filename }: WireFile['file'],
  path: string,
): DocumentSource {
  if (data !== undefined) return readFileData(data, filename, `${path}.file_data`);
  if (fileId === undefined) throw invalidField(path, 'needs file_data or file_id');
  return { type: 'file', fileId };
}
