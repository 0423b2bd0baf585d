import type {
  ContentBlock,
  DocumentBlock,
  ImageBlock,
  TextBlock,
  ToolResultContent,
} from '../../core/conversation/content.js';
import { plainBase64 } from '../../core/json/plain-base64.js';
import { invalidField } from '../common/invalid-field.js';
import { readFileData, readMedia } from '../common/read-media.js';
import type { WireOutputPart, WirePart } from './schemas/parts.js';

type WireImage = Extract<WirePart, { type: 'input_image' }>;
type WireFile = Extract<WirePart, { type: 'input_file' }>;

/**
 * One part of a message.
 * @param path the part, for errors
 * @throws GatewayError for media that are neither an address nor a data URL
 */
export function readPart(part: WirePart, path: string): ContentBlock {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: part.text };
    case 'refusal':
      return { type: 'text', text: part.refusal };
    case 'input_image':
      return readImage(part, path);
    case 'input_file':
      return readFile(part, path);
    case 'input_audio': {
      const { data, format } = part.input_audio;
      return { type: 'audio', data: plainBase64(data), format };
    }
    case 'input_video':
      return { type: 'video', source: readMedia(part.video_url, `${path}.video_url`) };
  }
}

/** A part that instructions may contain. @throws GatewayError for any other */
export function readInstruction(part: WirePart, path: string): TextBlock {
  if (part.type === 'input_text' || part.type === 'output_text') return { type: 'text', text: part.text };
  throw invalidField(`${path}.type`, 'must be input_text in instructions');
}

/** The output of a tool, as text or parts. @throws GatewayError as `readPart` */
export const readOutput = (output: string | readonly WireOutputPart[], path: string): readonly ToolResultContent[] =>
  typeof output === 'string'
    ? [{ type: 'text', text: output }]
    : output.map((part, index) => readPart(part, `${path}.${index}`) as ToolResultContent);

function readImage({ image_url: url, detail }: WireImage, path: string): ImageBlock {
  if (!url) throw invalidField(`${path}.image_url`, 'is required: the gateway keeps no files');
  return { type: 'image', source: readMedia(url, `${path}.image_url`), ...(detail && { detail }) };
}

function readFile(
  { file_data: data, file_id: fileId, file_url: url, filename }: WireFile,
  path: string,
): DocumentBlock {
  const title = filename ? { title: filename } : {};
  if (data) {
    // Some clients send the bytes without the head of a data URL.
    const whole = /^(?:data:|https?:)/i.test(data) ? data : `data:application/pdf;base64,${data}`;
    return { type: 'document', source: readFileData(whole, filename ?? undefined, `${path}.file_data`), ...title };
  }
  if (url) return { type: 'document', source: readFileData(url, filename ?? undefined, `${path}.file_url`), ...title };
  if (fileId) return { type: 'document', source: { type: 'file', fileId }, ...title };
  throw invalidField(path, 'needs file_data, file_url or file_id');
}

/** How images begin in base64. */
const SIGNATURES: readonly (readonly [beginning: string, mediaType: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lG', 'image/gif'],
];

/**
 * A picture that an earlier reply contains: its bytes, or the address that the provider gave.
 * @throws GatewayError for anything else
 */
export function readDrawn(result: string, path: string): ImageBlock {
  if (/^(?:data:|https?:)/i.test(result)) return { type: 'image', source: readMedia(result, path) };
  const data = plainBase64(result);
  const mediaType = SIGNATURES.find(([beginning]) => data.startsWith(beginning))?.[1];
  if (mediaType === undefined)
    throw invalidField(path, 'must be an http or https address, or a PNG, JPEG, WebP or GIF in base64');
  return { type: 'image', source: { type: 'base64', mediaType, data } };
}
