import type { DocumentBlock, SearchResultBlock } from '../../core/conversation/content.js';

/** Stands between texts that were blocks of their own and become one text. */
export const BLOCK_SEPARATOR = '\n\n';

/** Marks a failed call, where results have no flag of their own. */
export const TOOL_ERROR_PREFIX = 'Error: ';

/** What a failed call that says nothing is told as, where the flag alone is refused. */
export const SILENT_ERROR = TOOL_ERROR_PREFIX.trimEnd();

/** A text document in words, where the target has no documents. */
export function titledText(block: DocumentBlock, text: string): string {
  const lines: string[] = [];
  if (block.title !== undefined && block.title !== '') lines.push(`Document: ${block.title}`);
  if (block.context !== undefined && block.context !== '') lines.push(`Context: ${block.context}`);
  if (lines.length === 0) return text;
  return text === '' ? lines.join('\n') : `${lines.join('\n')}${BLOCK_SEPARATOR}${text}`;
}

/** A result of the caller's own search in words. */
export function searchResultText(block: SearchResultBlock): string {
  const texts = [`Search result: ${block.title}\nSource: ${block.source}`];
  for (const inner of block.content) texts.push(inner.text);
  return texts.join(BLOCK_SEPARATOR);
}
