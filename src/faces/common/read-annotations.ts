import type { ImageBlock, TextBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { ParsedFile } from '../../core/conversation/parsed-file.js';
import { isJsonObject } from '../../core/json/json.js';
import type { WireAnnotations } from './schemas/file-annotations.js';

const HASH = /^[0-9a-f]{64}$/;
const IMAGE = /^data:(image\/(?:jpeg|png|gif|webp));base64,(.*)$/s;

type WireFileAnnotation = NonNullable<WireAnnotations>[number];
type WireFile = NonNullable<NonNullable<WireAnnotations>[number]['file']>;
type WirePart = NonNullable<WireFile['content']>[number];

/**
 * Files as text from earlier replies. The hash of another gateway matches no file here, and parts that are neither text
 * nor a picture in the request itself are left out. A forged one only changes what the caller's own model reads.
 * @param turns the `annotations` of all turns
 */
export function readAnnotations(turns: Iterable<WireAnnotations | undefined>): Pick<ModelRequest, 'parsedFiles'> {
  const parsedFiles: ParsedFile[] = [];
  for (const annotations of turns) {
    for (const { type, file } of annotations ?? []) {
      if (type !== 'file' || !file?.content || !HASH.test(file.hash)) continue;
      const content = file.content.flatMap(readPart);
      if (content.length > 0) parsedFiles.push({ hash: file.hash, name: file.name ?? '', content });
    }
  }
  return parsedFiles.length > 0 ? { parsedFiles } : {};
}

/** The annotations of files in a value that has not been validated; all else is left out. */
export const fileAnnotationsIn = (value: unknown): WireFileAnnotation[] =>
  Array.isArray(value) ? value.filter(isFileAnnotation) : [];

function isFileAnnotation(value: unknown): value is WireFileAnnotation {
  const { type, file } = isJsonObject(value) ? value : {};
  if (type !== 'file' || !isJsonObject(file) || typeof file['hash'] !== 'string') return false;
  const { name = '', content } = file;
  return typeof name === 'string' && Array.isArray(content) && content.every(isPart);
}

function isPart(value: unknown): boolean {
  const { type, text, image_url: image } = isJsonObject(value) ? value : {};
  if (type === 'text') return typeof text === 'string';
  return type === 'image_url' && isJsonObject(image) && typeof image['url'] === 'string';
}

function readPart({ type, text, image_url: image }: WirePart): (TextBlock | ImageBlock)[] {
  if (type === 'text') return text === undefined ? [] : [{ type: 'text', text }];
  const [, mediaType, data] = (type === 'image_url' && image && IMAGE.exec(image.url)) || [];
  if (mediaType === undefined || data === undefined) return [];
  return [{ type: 'image', isOfFile: true, source: { type: 'base64', mediaType, data } }];
}
