import { append } from '../../../core/append.js';
import type {
  ContentBlock,
  DocumentBlock,
  SearchResultBlock,
  ToolReferenceBlock,
} from '../../../core/conversation/content.js';
import type { Base64Text } from '../../../core/json/base64-text.js';
import { BLOCK_SEPARATOR, searchResultText, titledText } from '../block-text.js';
import type { EncodeContext } from './encode-context.js';
import { ruleForForeign } from '../foreign-blocks.js';
import { dataUrl, fileName, textOf, urlOf } from '../media-parts.js';
import type { ChatContent, ChatPart } from './wire.js';

/**
 * The parts of one block of a user turn or tool result.
 * @param path the block, as the caller wrote it
 * @throws Untranslatable when the target has no part for it
 */
export function encodeParts(
  block: ContentBlock | ToolReferenceBlock,
  path: string,
  context: EncodeContext,
): ChatPart[] {
  switch (block.type) {
    case 'text':
      // Citations point into documents of another vendor's reply; the text says the same without them.
      return [{ type: 'text', text: block.text, ...context.cacheControl(block.cacheMarker) }];
    case 'image':
      return [
        {
          type: 'image_url',
          image_url: { url: urlOf(block.source), ...(block.detail !== undefined && { detail: block.detail }) },
          ...context.cacheControl(block.cacheMarker),
        },
      ];
    case 'document':
      return marked(documentParts(block, path, context), block, context);
    case 'search-result':
      return marked([{ type: 'text', text: searchResultText(block) }], block, context);
    case 'audio':
      return [{ type: 'input_audio', input_audio: { data: block.data, format: block.format } }];
    case 'video':
      return [{ type: 'video_url', video_url: { url: urlOf(block.source) } }];
    case 'tool-reference':
      return [{ type: 'text', text: `[Tool ${context.names.toWire(block.toolName)} is available.]` }];
    case 'opaque': {
      const rule = ruleForForeign(block.opaque);
      if (rule.type === 'text') return [{ type: 'text', text: rule.text }];
      if (rule.type === 'drop') return [];
      return context.refuse(path, `a block of type ${rule.blockType}`);
    }
    case 'tool-use':
    case 'tool-result':
    case 'thinking':
    case 'redacted-thinking':
      return context.refuse(path, `a ${block.type} block in this place`);
  }
}

/** Parts as shortly as the format allows: texts without markers as one string, which every chat upstream takes. */
export function contentOf(parts: ChatPart[]): ChatContent {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type !== 'text' || part.cache_control !== undefined) return parts;
    texts.push(part.text);
  }
  return texts.join(BLOCK_SEPARATOR);
}

function documentParts(block: DocumentBlock, path: string, context: EncodeContext): ChatPart[] {
  const { source } = block;
  switch (source.type) {
    case 'text':
      return [{ type: 'text', text: titledText(block, source.text) }];
    case 'blocks': {
      const header = titledText(block, '');
      const parts: ChatPart[] = header === '' ? [] : [{ type: 'text', text: header }];
      for (const [index, inner] of source.blocks.entries()) {
        append(parts, encodeParts(inner, `${path}.source.content.${index}`, context));
      }
      return parts;
    }
    case 'base64':
      return fileParts(block, source.mediaType, source.data, path, context);
    case 'url': {
      const media = context.media.get(source.url);
      if (media === undefined) return context.refuse(`${path}.source.url`, 'a document that was not fetched');
      return fileParts(block, media.mediaType, media.base64, path, context);
    }
    case 'file':
      return context.refuse(`${path}.source.file_id`, 'a file stored at another vendor');
  }
}

function fileParts(
  block: DocumentBlock,
  mediaType: string,
  base64: string | Base64Text,
  path: string,
  context: EncodeContext,
): ChatPart[] {
  if (mediaType.startsWith('text/')) {
    return [{ type: 'text', text: titledText(block, textOf(base64)) }];
  }
  if (!context.acceptsFiles) return context.refuse(`${path}.source`, `a document of type ${mediaType}`);
  const parts: ChatPart[] = [];
  if (block.context !== undefined && block.context !== '') parts.push({ type: 'text', text: block.context });
  parts.push({
    type: 'file',
    file: { filename: fileName(block.title, mediaType), file_data: dataUrl(mediaType, base64) },
  });
  return parts;
}

/** A marker ends a prefix, so it stands on the last part of its block. */
function marked(parts: ChatPart[], block: DocumentBlock | SearchResultBlock, context: EncodeContext): ChatPart[] {
  const last = parts.at(-1);
  if (last !== undefined) Object.assign(last, context.cacheControl(block.cacheMarker));
  return parts;
}
