import type { ImageBlock, TextBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { ParsedFile } from '../../core/conversation/parsed-file.js';
import type { WireAnnotations } from './schemas/file-annotations.js';

const HASH = /^[0-9a-f]{64}$/;
const IMAGE = /^data:(image\/(?:jpeg|png|gif|webp));base64,(.*)$/s;

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

function readPart({ type, text, image_url: image }: WirePart): (TextBlock | ImageBlock)[] {
  if (type === 'text') return text === undefined ? [] : [{ type: 'text', text }];
  const [, mediaType, data] = (type === 'image_url' && image && IMAGE.exec(image.url)) || [];
  if (mediaType === undefined || data === undefined) return [];
  return [{ type: 'image', isOfFile: true, source: { type: 'base64', mediaType, data } }];
}
