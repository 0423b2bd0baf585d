import { append } from '../../../core/append.js';
import type {
  ContentBlock,
  DocumentBlock,
  MediaSource,
  ToolReferenceBlock,
} from '../../../core/conversation/content.js';
import type { Base64Text } from '../../../core/json/base64-text.js';
import { searchResultText, titledText } from '../block-text.js';
import { ruleForForeign } from '../foreign-blocks.js';
import type { EncodeContext } from './encode-context.js';
import { audioType, isReadByVendor } from './media-types.js';
import type { Part } from './wire.js';

/**
 * The parts of one block of a user turn or tool result.
 * @param path the block, as the caller wrote it
 * @throws Untranslatable when the target has no part for it
 */
export function encodeParts(block: ContentBlock | ToolReferenceBlock, path: string, context: EncodeContext): Part[] {
  switch (block.type) {
    case 'text':
      // Citations point into documents of another vendor's reply; the text says the same without them.
      return [{ text: block.text }];
    case 'image':
      return [mediaPart(block.source, path, context)];
    case 'document':
      return documentParts(block, path, context);
    case 'search-result':
      return [{ text: searchResultText(block) }];
    case 'audio':
      return [{ inlineData: { mimeType: audioType(block), data: block.data } }];
    case 'video':
      return [mediaPart(block.source, path, context)];
    case 'tool-reference':
      return [{ text: `[Tool ${context.names.toWire(block.toolName)} is available.]` }];
    case 'opaque': {
      const rule = ruleForForeign(block.opaque);
      if (rule.type === 'text') return [{ text: rule.text }];
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

/** An image or a video: bytes, or an address that the vendor reads, or one that was fetched for it. */
export function mediaPart(source: MediaSource, path: string, context: EncodeContext): Part {
  if (source.type === 'base64') return { inlineData: { mimeType: source.mediaType, data: source.data } };
  const { url } = source;
  if (isReadByVendor(url)) return filePart(url);
  const media = context.media.get(url);
  if (media === undefined) return context.refuse(`${path}.source.url`, 'an address that was not fetched');
  return { inlineData: { mimeType: media.mediaType, data: media.base64 } };
}

const filePart = (url: string): Part => ({ fileData: { fileUri: url } });

function documentParts(block: DocumentBlock, path: string, context: EncodeContext): Part[] {
  const { source } = block;
  switch (source.type) {
    case 'text':
      return [{ text: titledText(block, source.text) }];
    case 'blocks': {
      const parts = headed(block, []);
      for (const [index, inner] of source.blocks.entries()) {
        append(parts, encodeParts(inner, `${path}.source.content.${index}`, context));
      }
      return parts;
    }
    case 'base64':
      return bytesParts(block, source.mediaType, source.data);
    case 'url': {
      if (isReadByVendor(source.url)) return headed(block, [filePart(source.url)]);
      const media = context.media.get(source.url);
      if (media === undefined) return context.refuse(`${path}.source.url`, 'a document that was not fetched');
      return bytesParts(block, media.mediaType, media.base64);
    }
    case 'file':
      return context.refuse(`${path}.source.file_id`, 'a file stored at another vendor');
  }
}

function bytesParts(block: DocumentBlock, mediaType: string, base64: string | Base64Text): Part[] {
  if (mediaType.startsWith('text/')) {
    return [{ text: titledText(block, Buffer.from(base64.toString(), 'base64').toString('utf8')) }];
  }
  return headed(block, [{ inlineData: { mimeType: mediaType, data: base64 } }]);
}

/** Bytes have no name here: title and context stand in front of them. */
function headed(block: DocumentBlock, parts: Part[]): Part[] {
  const header = titledText(block, '');
  return header === '' ? parts : [{ text: header }, ...parts];
}
