import type { SearchResultBlock, ToolResultBlock } from '../../../core/conversation/content.js';
import { searchResultText, TOOL_ERROR_PREFIX } from '../block-text.js';
import { encodeBlock, type PartBlock, type PartForms } from '../encode-parts.js';
import type { ConverseContext } from './encode-context.js';
import { encodeDocument, encodeImage, encodeVideo, isSaid } from './encode-media.js';
import type { ResultPart, ToolResultPart } from './wire.js';

const FORMS: PartForms<ResultPart, ConverseContext> = {
  text: (words) => ({ text: words }),
  image: encodeImage,
  video: encodeVideo,
  document: encodeDocument,
  searchResult: (block, context) => [searchResult(block, context)],
};

/**
 * The parts of one block of a user turn or of a tool's result; texts that say nothing are refused, and left out.
 * @param path the block, as the caller wrote it
 * @throws Untranslatable when the target has no part for it
 */
export const encodeParts = (block: PartBlock, path: string, context: ConverseContext): ResultPart[] =>
  encodeBlock(block, path, context, FORMS).filter((part) => !('text' in part) || isSaid(part.text));

export function encodeToolResult(block: ToolResultBlock, path: string, context: ConverseContext): ToolResultPart {
  const content: ResultPart[] = [];
  for (const [index, inner] of block.content.entries()) {
    content.push(...encodeParts(inner, `${path}.content.${index}`, context));
  }
  const isError = block.isError === true;
  // An error that says nothing is refused, whatever its status (github.com/aws-samples/
  // sample-multi-agent-orchestration-chat-on-agentcore, issue 15, read 2026-11-24).
  if (isError && (!context.family.takesStatus || content.length === 0)) prefixError(content);
  return {
    toolResult: {
      toolUseId: context.callId(block),
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

function searchResult(block: SearchResultBlock, context: ConverseContext): ResultPart {
  const content = block.content.flatMap(({ text }) => (isSaid(text) ? [{ text }] : []));
  if (context.family.takesSearchResults !== true || content.length === 0) return { text: searchResultText(block) };
  const { source, title, wantsCitations = false } = block;
  return { searchResult: { source, title, content, citations: { enabled: wantsCitations } } };
}
