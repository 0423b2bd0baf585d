import type { DocumentBlock } from '../../../core/conversation/content.js';
import { BLOCK_SEPARATOR } from '../block-text.js';
import { encodeBlock, encodeDocument, type DocumentForms, type PartBlock, type PartForms } from '../encode-parts.js';
import { dataUrl, fileName, urlOf } from '../media-parts.js';
import type { ChatContext } from './encode-context.js';
import type { ChatContent, ChatPart } from './wire.js';

const text = (words: string): ChatPart => ({ type: 'text', text: words });

const DOCUMENTS: DocumentForms<ChatPart, ChatContext> = {
  text,
  block: encodeParts,
  bytes(block, mediaType, base64) {
    const file = { filename: fileName(block.title, mediaType), file_data: dataUrl(mediaType, base64) };
    return [...explained(block), { type: 'file', file }];
  },
};

const FORMS: PartForms<ChatPart, ChatContext> = {
  text,
  image: ({ source, detail }) => ({
    type: 'image_url',
    image_url: { url: urlOf(source), ...(detail !== undefined && { detail }) },
  }),
  document: (block, path, context) => encodeDocument(block, path, context, DOCUMENTS),
  audio: ({ data, format }) => ({ type: 'input_audio', input_audio: { data, format } }),
  video: ({ source }) => ({ type: 'video_url', video_url: { url: urlOf(source) } }),
};

/** Blocks whose parts may have a marker. */
const MARKED: ReadonlySet<PartBlock['type']> = new Set(['text', 'image', 'document', 'search-result']);

/**
 * The parts of one block of a user turn or tool result. The last one gets the block's marker, which ends a prefix.
 * @param path the block's path in the caller's request
 * @throws Untranslatable when the target has no part for it
 */
export function encodeParts(block: PartBlock, path: string, context: ChatContext): ChatPart[] {
  const parts = encodeBlock(block, path, context, FORMS);
  const last = parts.at(-1);
  if (last !== undefined && block.cacheMarker !== undefined && MARKED.has(block.type)) {
    Object.assign(last, context.cacheControl(block.cacheMarker));
  }
  return parts;
}

/** Parts in the format's shortest form: texts without markers as one string, which every chat provider takes. */
export function contentOf(parts: ChatPart[]): ChatContent {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type !== 'text' || part.cache_control !== undefined) return parts;
    texts.push(part.text);
  }
  return texts.join(BLOCK_SEPARATOR);
}

const explained = ({ context }: DocumentBlock): ChatPart[] =>
  context === undefined || context === '' ? [] : [text(context)];
