import type { DocumentBlock, MediaSource } from '../../../core/conversation/content.js';
import { titledText } from '../block-text.js';
import { encodeBlock, encodeDocument, type DocumentForms, type PartBlock, type PartForms } from '../encode-parts.js';
import type { GeminiContext } from './encode-context.js';
import { audioType, isReadByVendor } from './media-types.js';
import type { Part } from './wire.js';

const DOCUMENTS: DocumentForms<Part, GeminiContext> = {
  text,
  block: encodeParts,
  bytes: (block, mimeType, data) => headed(block, [{ inlineData: { mimeType, data } }]),
  address: (block, url) => (isReadByVendor(url) ? headed(block, [filePart(url)]) : undefined),
};

const FORMS: PartForms<Part, GeminiContext> = {
  text,
  image: ({ source }, path, context) => mediaPart(source, path, context),
  document: (block, path, context) => encodeDocument(block, path, context, DOCUMENTS),
  audio: (block) => ({ inlineData: { mimeType: audioType(block), data: block.data } }),
  video: ({ source }, path, context) => mediaPart(source, path, context),
};

/**
 * The parts of one block of a user turn or tool result.
 * @param path the block's path in the caller's request
 * @throws Untranslatable when the target has no part for it
 */
export function encodeParts(block: PartBlock, path: string, context: GeminiContext): Part[] {
  return encodeBlock(block, path, context, FORMS);
}

function text(words: string): Part {
  return { text: words };
}

/** An image or a video: its bytes, an address that the vendor reads, or the bytes fetched from another address. */
export function mediaPart(source: MediaSource, path: string, context: GeminiContext): Part {
  if (source.type === 'base64') return { inlineData: { mimeType: source.mediaType, data: source.data } };
  const { url } = source;
  if (isReadByVendor(url)) return filePart(url);
  const media = context.media.get(url);
  if (media === undefined) return context.refuse(`${path}.source.url`, 'an address that was not fetched');
  return { inlineData: { mimeType: media.mediaType, data: media.base64 } };
}

const filePart = (url: string): Part => ({ fileData: { fileUri: url } });

/** Bytes have no name here: title and context precede them. */
function headed(block: DocumentBlock, parts: Part[]): Part[] {
  const header = titledText(block, '');
  return header === '' ? parts : [{ text: header }, ...parts];
}
