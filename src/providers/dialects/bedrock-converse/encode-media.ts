import type { DocumentBlock, ImageBlock, MediaSource, VideoBlock } from '../../../core/conversation/content.js';
import { titledText } from '../block-text.js';
import type { ConverseContext } from './encode-context.js';
import type { Bytes, DocumentPart, ResultPart } from './wire.js';

// Formats by media type (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html,
// _ImageBlock.html, _VideoBlock.html).

const IMAGES: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/jpg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

const DOCUMENTS: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/plain', 'txt'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['text/markdown', 'md'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
]);

const VIDEOS: ReadonlyMap<string, string> = new Map([
  ['video/mp4', 'mp4'],
  ['video/quicktime', 'mov'],
  ['video/x-matroska', 'mkv'],
  ['video/webm', 'webm'],
  ['video/x-flv', 'flv'],
  ['video/mpeg', 'mpeg'],
  ['video/x-ms-wmv', 'wmv'],
  ['video/3gpp', 'three_gp'],
]);

export function encodeImage({ source }: ImageBlock, path: string, context: ConverseContext): ResultPart {
  const { mediaType, bytes } = bytesOf(source, 'an image', path, context);
  return { image: { format: formatOf(mediaType, IMAGES, 'an image', path, context), source: { bytes } } };
}

/** The gateway fetches no videos: bytes are sent, addresses are refused. */
export function encodeVideo({ source }: VideoBlock, path: string, context: ConverseContext): ResultPart {
  const { mediaType, bytes } = bytesOf(source, 'a video', path, context);
  return { video: { format: formatOf(mediaType, VIDEOS, 'a video', path, context), source: { bytes } } };
}

/** The parts of a document: one, or its texts and images where the model reads no documents. */
export function encodeDocument(block: DocumentBlock, path: string, context: ConverseContext): ResultPart[] {
  const { source } = block;
  switch (source.type) {
    case 'file':
      return context.refuseForm('document_file', path);
    case 'text':
      // The format refuses a document without bytes.
      if (!context.acceptsFiles || source.text === '') return inWords(titledText(block, source.text));
      return [document(block, 'txt', { bytes: Buffer.from(source.text).toString('base64') }, context)];
    case 'blocks':
      return blockParts(block, source.blocks, path, context);
    case 'base64':
    case 'url': {
      const { mediaType, bytes } = bytesOf(source, 'a document', path, context);
      return [document(block, formatOf(mediaType, DOCUMENTS, 'a document', path, context), { bytes }, context)];
    }
  }
}

type Blocks = Extract<DocumentBlock['source'], { type: 'blocks' }>['blocks'];

/** Texts that are to be cited stay a document. The format allows no images in one. */
function blockParts(block: DocumentBlock, blocks: Blocks, path: string, context: ConverseContext): ResultPart[] {
  const texts = blocks.flatMap((inner) =>
    inner.type === 'text' && isNotBlank(inner.text) ? [{ text: inner.text }] : [],
  );
  const isText = blocks.every(({ type }) => type === 'text');
  if (context.acceptsFiles && block.wantsCitations === true && isText && texts.length > 0) {
    return [document(block, 'txt', { content: texts }, context)];
  }
  const parts = inWords(titledText(block, ''));
  for (const [index, inner] of blocks.entries()) {
    if (inner.type === 'image') parts.push(encodeImage(inner, `${path}.source.content.${index}`, context));
    else if (isNotBlank(inner.text)) parts.push({ text: inner.text });
  }
  return parts;
}

function document(
  block: DocumentBlock,
  format: string,
  source: DocumentPart['source'],
  context: ConverseContext,
): ResultPart {
  const { title, context: about, wantsCitations } = block;
  return {
    document: {
      format,
      name: context.documents.nameOf(title),
      source,
      ...(about !== undefined && about !== '' && { context: about }),
      ...(wantsCitations === true && { citations: { enabled: true } }),
    },
  };
}

const inWords = (text: string): ResultPart[] => (isNotBlank(text) ? [{ text }] : []);

/** Whether the text is not blank: Converse refuses blank texts. */
export const isNotBlank = (text: string): boolean => /\S/.test(text);

function bytesOf(
  source: MediaSource,
  what: string,
  path: string,
  context: ConverseContext,
): { readonly mediaType: string; readonly bytes: Bytes } {
  if (source.type === 'base64') return { mediaType: source.mediaType, bytes: source.data };
  const media = context.media.get(source.url);
  if (media === undefined) return context.refuse(`${path}.source.url`, `${what} that was not fetched`);
  return { mediaType: media.mediaType, bytes: media.base64 };
}

function formatOf(
  mediaType: string,
  formats: ReadonlyMap<string, string>,
  what: string,
  path: string,
  context: ConverseContext,
): string {
  const [name = ''] = mediaType.split(';');
  return formats.get(name.trim().toLowerCase()) ?? context.refuse(`${path}.source`, `${what} of type ${mediaType}`);
}
