import { append } from '../../../core/append.js';
import type {
  ContentBlock,
  DocumentBlock,
  MediaSource,
  ToolReferenceBlock,
} from '../../../core/conversation/content.js';
import { BLOCK_SEPARATOR, searchResultText, titledText } from '../block-text.js';
import { ruleForForeign } from '../foreign-blocks.js';
import type { EncodeContext } from './encode-context.js';
import type { CohereContent, CoherePart } from './wire.js';

const text = (words: string): CoherePart => ({ type: 'text', text: words });

/**
 * The parts of one block of a user turn or tool result; none for what stands among the documents.
 * @param path the block, as the caller wrote it
 * @throws Untranslatable when the format has no part for it
 */
export function encodeParts(
  block: ContentBlock | ToolReferenceBlock,
  path: string,
  context: EncodeContext,
): CoherePart[] {
  switch (block.type) {
    case 'text':
      return [text(block.text)];
    case 'image':
      return [
        {
          type: 'image_url',
          image_url: { url: urlOf(block.source), ...(block.detail !== undefined && { detail: block.detail }) },
        },
      ];
    case 'document':
      return context.sources.has(block) ? [] : documentParts(block, path, context);
    case 'search-result':
      return context.sources.has(block) ? [] : [text(searchResultText(block))];
    case 'tool-reference':
      return [text(`[Tool ${context.names.toWire(block.toolName)} is available.]`)];
    case 'opaque': {
      const rule = ruleForForeign(block.opaque);
      if (rule.type === 'text') return [text(rule.text)];
      if (rule.type === 'drop') return [];
      return context.refuse(path, `a block of type ${rule.blockType}`);
    }
    case 'audio':
    case 'video':
      return context.refuse(path, `a block of type ${block.type}`);
    case 'tool-use':
    case 'tool-result':
    case 'thinking':
    case 'redacted-thinking':
      return context.refuse(path, `a ${block.type} block in this place`);
  }
}

/** Parts as shortly as the format allows: texts as one string. */
export function contentOf(parts: readonly CoherePart[]): CohereContent {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type !== 'text') return parts;
    texts.push(part.text);
  }
  return texts.join(BLOCK_SEPARATOR);
}

function documentParts(block: DocumentBlock, path: string, context: EncodeContext): CoherePart[] {
  const { source } = block;
  switch (source.type) {
    case 'text':
      return [text(titledText(block, source.text))];
    case 'blocks': {
      const header = titledText(block, '');
      const parts = header === '' ? [] : [text(header)];
      for (const [index, inner] of source.blocks.entries()) {
        append(parts, encodeParts(inner, `${path}.source.content.${index}`, context));
      }
      return parts;
    }
    case 'base64':
      if (!source.mediaType.startsWith('text/'))
        return context.refuse(`${path}.source`, `a document of type ${source.mediaType}`);
      return [text(titledText(block, Buffer.from(source.data, 'base64').toString('utf8')))];
    case 'url':
      return context.refuse(`${path}.source.url`, 'a document by its address');
    case 'file':
      return context.refuse(`${path}.source.file_id`, 'a file stored at another vendor');
  }
}

/** The vendor takes either, and fetches addresses itself (docs.cohere.com, guide on images). */
function urlOf(source: MediaSource): string {
  return source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}
