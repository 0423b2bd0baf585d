import { append } from '../../core/append.js';
import type {
  AudioBlock,
  ContentBlock,
  DocumentBlock,
  DocumentSource,
  ImageBlock,
  RedactedThinkingBlock,
  SearchResultBlock,
  ThinkingBlock,
  ToolReferenceBlock,
  ToolResultBlock,
  ToolUseBlock,
  VideoBlock,
} from '../../core/conversation/content.js';
import type { Base64Text } from '../../core/json/base64-text.js';
import type { BlockForm } from '../../core/translation.js';
import { searchResultText, titledText } from './block-text.js';
import type { EncodeContext } from './encode-context.js';
import { foreignForm, foreignText } from './foreign-blocks.js';
import { textOf } from './media-parts.js';

/** A block of a user turn or of a tool's result. */
export type PartBlock = ContentBlock | ToolReferenceBlock;

/** The parts of a format. The table refuses those that are absent. */
export interface PartForms<Part, Context extends EncodeContext> {
  text(words: string): Part;
  image(block: ImageBlock, path: string, context: Context): Part;
  document(block: DocumentBlock, path: string, context: Context): Part[];
  /** Absent: sent as text. */
  searchResult?(block: SearchResultBlock, context: Context): Part[];
  audio?(block: AudioBlock): Part;
  video?(block: VideoBlock, path: string, context: Context): Part;
}

/**
 * The parts of one block of a user turn or tool result. A text loses its citations, which point into documents of
 * another reply.
 * @param path the block's path in the caller's request
 * @throws Untranslatable when the target has no part for it
 */
export function encodeBlock<Part, Context extends EncodeContext>(
  block: PartBlock,
  path: string,
  context: Context,
  forms: PartForms<Part, Context>,
): Part[] {
  if (!isPart(block)) return context.refuseIn('this place', path, block);
  const form = formOf(block);
  if (!context.admits(form, path, typeOf(block))) return [];
  switch (block.type) {
    case 'text':
      return [forms.text(block.text)];
    case 'image':
      return [forms.image(block, path, context)];
    case 'document':
      return forms.document(block, path, context);
    case 'search-result':
      return forms.searchResult?.(block, context) ?? [forms.text(searchResultText(block))];
    case 'tool-reference':
      return [forms.text(`[Tool ${context.names.toWire(block.toolName)} is available.]`)];
    case 'audio':
      return forms.audio ? [forms.audio(block)] : context.refuseForm(form, path);
    case 'video':
      return forms.video ? [forms.video(block, path, context)] : context.refuseForm(form, path);
    case 'opaque': {
      const text = foreignText(block, path, context);
      return text === '' ? [] : [forms.text(text)];
    }
  }
}

/** A block that a user turn or a result may hold. */
type UserBlock = Exclude<PartBlock, ToolUseBlock | ToolResultBlock | ThinkingBlock | RedactedThinkingBlock>;

const OF_TURNS: ReadonlySet<PartBlock['type']> = new Set(['tool-use', 'tool-result', 'thinking', 'redacted-thinking']);

const isPart = (block: PartBlock): block is UserBlock => !OF_TURNS.has(block.type);

/** The block's row in the tables. */
function formOf(block: UserBlock): BlockForm {
  switch (block.type) {
    case 'text':
    case 'audio':
      return block.type;
    case 'image':
      return block.source.type === 'url' ? 'image_url' : 'image_bytes';
    case 'video':
      return block.source.type === 'url' ? 'video_url' : 'video_bytes';
    case 'document':
      return documentForm(block.source);
    case 'search-result':
      return 'search_result';
    case 'tool-reference':
      return 'tool_reference';
    case 'opaque':
      return foreignForm(block.opaque);
  }
}

function documentForm(source: DocumentSource): BlockForm {
  switch (source.type) {
    case 'base64':
      return isText(source.mediaType) ? 'document_text_bytes' : 'document_bytes';
    case 'url':
      return 'document_url';
    case 'text':
      return 'document_text';
    case 'blocks':
      return 'document_blocks';
    case 'file':
      return 'document_file';
  }
}

/** The block's own type, where its form does not determine it. */
function typeOf(block: UserBlock): string | undefined {
  if (block.type === 'document') return block.source.type === 'base64' ? block.source.mediaType : undefined;
  if (block.type !== 'opaque') return undefined;
  const { type } = block.opaque.value;
  return typeof type === 'string' ? type : 'unknown';
}

const isText = (mediaType: string): boolean => mediaType.startsWith('text/');

/** The parts for documents that are not texts. */
export interface DocumentForms<Part, Context extends EncodeContext> {
  text(words: string): Part;
  /** The parts of a block inside the document. */
  block(block: PartBlock, path: string, context: Context): Part[];
  /** Absent where the table refuses them. */
  bytes?(block: DocumentBlock, mediaType: string, base64: string | Base64Text): Part[];
  /** Undefined for an address that the gateway has to fetch. */
  address?(block: DocumentBlock, url: string): Part[] | undefined;
}

/**
 * The parts of a document where the format has none for text documents: they are sent as text, after title and context.
 * @throws Untranslatable where the target cannot read it
 */
export function encodeDocument<Part, Context extends EncodeContext>(
  block: DocumentBlock,
  path: string,
  context: Context,
  forms: DocumentForms<Part, Context>,
): Part[] {
  const { source } = block;
  const bytesParts = (mediaType: string, base64: string | Base64Text): Part[] => {
    if (isText(mediaType)) return [forms.text(titledText(block, textOf(base64)))];
    if (!forms.bytes || !context.admits('document_bytes', path, mediaType)) {
      return context.refuseForm('document_bytes', path, mediaType);
    }
    return forms.bytes(block, mediaType, base64);
  };
  switch (source.type) {
    case 'text':
      return [forms.text(titledText(block, source.text))];
    case 'blocks': {
      const header = titledText(block, '');
      const parts = header === '' ? [] : [forms.text(header)];
      for (const [index, inner] of source.blocks.entries()) {
        append(parts, forms.block(inner, `${path}.source.content.${index}`, context));
      }
      return parts;
    }
    case 'base64':
      return bytesParts(source.mediaType, source.data);
    case 'url': {
      const parts = forms.address?.(block, source.url);
      if (parts !== undefined) return parts;
      const media = context.media.get(source.url);
      if (media === undefined) return context.refuse(`${path}.source.url`, 'a document that was not fetched');
      return bytesParts(media.mediaType, media.base64);
    }
    case 'file':
      return context.refuseForm('document_file', path);
  }
}
