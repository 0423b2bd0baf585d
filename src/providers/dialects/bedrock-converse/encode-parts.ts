import type {
  ContentBlock,
  SearchResultBlock,
  ToolReferenceBlock,
  ToolResultBlock,
} from '../../../core/conversation/content.js';
import { searchResultText, TOOL_ERROR_PREFIX } from '../block-text.js';
import { ruleForForeign } from '../foreign-blocks.js';
import type { EncodeContext } from './encode-context.js';
import { encodeDocument, encodeImage, encodeVideo, isSaid } from './encode-media.js';
import type { ResultPart, ToolResultPart } from './wire.js';

/**
 * The parts of one block of a user turn or of a tool's result.
 * @param path the block, as the caller wrote it
 * @throws Untranslatable when the target has no part for it
 */
export function encodeParts(
  block: ContentBlock | ToolReferenceBlock,
  path: string,
  context: EncodeContext,
): ResultPart[] {
  switch (block.type) {
    case 'text':
      // Citations point into documents of another reply; the text says the same without them.
      return isSaid(block.text) ? [{ text: block.text }] : [];
    case 'image':
      return [encodeImage(block, path, context)];
    case 'video':
      return [encodeVideo(block, path, context)];
    case 'document':
      return encodeDocument(block, path, context);
    case 'search-result':
      return [searchResult(block, context)];
    case 'tool-reference':
      return [{ text: `[Tool ${context.names.toWire(block.toolName)} is available.]` }];
    case 'opaque': {
      const rule = ruleForForeign(block.opaque);
      if (rule.type === 'text') return isSaid(rule.text) ? [{ text: rule.text }] : [];
      if (rule.type === 'drop') return [];
      return context.refuse(path, `a block of type ${rule.blockType}`);
    }
    case 'audio':
    case 'tool-use':
    case 'tool-result':
    case 'thinking':
    case 'redacted-thinking':
      return context.refuse(path, `a ${block.type} block in this place`);
  }
}

export function encodeToolResult(block: ToolResultBlock, path: string, context: EncodeContext): ToolResultPart {
  const content: ResultPart[] = [];
  for (const [index, inner] of block.content.entries()) {
    content.push(...encodeParts(inner, `${path}.content.${index}`, context));
  }
  const isError = block.isError === true;
  if (isError && !context.family.takesStatus) prefixError(content);
  return {
    toolResult: {
      toolUseId: context.ids.toWire(block.toolUseId),
      content,
      ...(isError && context.family.takesStatus && { status: 'error' }),
    },
  };
}

/** In the first text, so that what follows stays as it is. */
function prefixError(content: ResultPart[]): void {
  const place = content.findIndex((part) => 'text' in part);
  const text = place === -1 ? '' : (content[place] as { readonly text: string }).text;
  const marked = { text: (TOOL_ERROR_PREFIX + text).trimEnd() };
  if (place === -1) content.unshift(marked);
  else content[place] = marked;
}

function searchResult(block: SearchResultBlock, context: EncodeContext): ResultPart {
  const content = block.content.flatMap(({ text }) => (isSaid(text) ? [{ text }] : []));
  if (context.family.takesSearchResults !== true || content.length === 0) return { text: searchResultText(block) };
  const { source, title, wantsCitations = false } = block;
  return { searchResult: { source, title, content, citations: { enabled: wantsCitations } } };
}
