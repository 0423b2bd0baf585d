import type { SearchResultBlock, ToolResultBlock } from '../../../core/conversation/content.js';
import { searchResultText, TOOL_ERROR_PREFIX } from '../block-text.js';
import { encodeBlock, type PartBlock, type PartForms } from '../encode-parts.js';
import { attachmentName } from '../tool-result-text.js';
import type { ConverseContext } from './encode-context.js';
import { encodeDocument, encodeImage, encodeVideo, isNotBlank } from './encode-media.js';
import type { ResultPart, ToolResultPart } from './wire.js';

const FORMS: PartForms<ResultPart, ConverseContext> = {
  text: (words) => ({ text: words }),
  image: encodeImage,
  video: encodeVideo,
  document: encodeDocument,
  searchResult: (block, context) => [searchResult(block, context)],
};

/**
 * The parts of one block of a user turn or of a tool's result. Blank texts are refused by the format, and left out.
 * @param path the block's path in the caller's request
 * @throws Untranslatable when the target has no part for it
 */
export const encodeParts = (block: PartBlock, path: string, context: ConverseContext): ResultPart[] =>
  encodeBlock(block, path, context, FORMS).filter((part) => !('text' in part) || isNotBlank(part.text));

/** A tool result, and its parts that may not be inside it: each follows the result, after a text that names it. */
export interface EncodedToolResult {
  readonly part: ToolResultPart;
  readonly carried: readonly ResultPart[];
}

export function encodeToolResult(block: ToolResultBlock, path: string, context: ConverseContext): EncodedToolResult {
  const content: ResultPart[] = [];
  const carried: ResultPart[] = [];
  const isError = block.isError === true;
  const id = context.callId(block);
  for (const [index, inner] of block.content.entries()) {
    for (const part of encodeParts(inner, `${path}.content.${index}`, context)) {
      if (mayStandInResult(part, isError, context)) {
        content.push(part);
        continue;
      }
      const name = attachmentName(carried.length / 2 + 1, id);
      content.push({ text: `[${name}: see below]` });
      carried.push({ text: `[${name}]` }, part);
    }
  }
  // An error without text is refused, whatever its status (github.com/aws-samples/
  // sample-multi-agent-orchestration-chat-on-agentcore, issue 15, read 2026-11-24).
  if (isError && (!context.family.takesStatus || content.length === 0)) prefixError(content);
  const status = isError && context.family.takesStatus ? ({ status: 'error' } as const) : {};
  return { part: { toolResult: { toolUseId: id, content, ...status } }, carried };
}

function mayStandInResult(part: ResultPart, isError: boolean, { family }: ConverseContext): boolean {
  if (isError && family.wantsErrorsInWords === true) return 'text' in part;
  return !('image' in part) || family.takesResultImages === true;
}

/** Puts the prefix into the first text, so that the parts after it stay as they are. */
function prefixError(content: ResultPart[]): void {
  const index = content.findIndex((part) => 'text' in part);
  const text = index === -1 ? '' : (content[index] as { readonly text: string }).text;
  const marked = { text: (TOOL_ERROR_PREFIX + text).trimEnd() };
  if (index === -1) content.unshift(marked);
  else content[index] = marked;
}

function searchResult(block: SearchResultBlock, context: ConverseContext): ResultPart {
  const content = block.content.flatMap(({ text }) => (isNotBlank(text) ? [{ text }] : []));
  if (context.family.takesSearchResults !== true || content.length === 0) return { text: searchResultText(block) };
  const { source, title, wantsCitations = false } = block;
  return { searchResult: { source, title, content, citations: { enabled: wantsCitations } } };
}
