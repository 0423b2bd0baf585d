import type { DocumentBlock, SearchResultBlock } from '../../core/conversation/content.js';

/** Separates texts of different blocks that become one text. */
export const BLOCK_SEPARATOR = '\n\n';

/** Marks a failed call, where results have no flag of their own. */
export const TOOL_ERROR_PREFIX = 'Error: ';

/** Stands for a failed call without text, where the flag alone is refused. */
export const SILENT_ERROR = TOOL_ERROR_PREFIX.trimEnd();

/** A text document as plain text, where the target has no documents. */
export function titledText(block: DocumentBlock, text: string): string {
  const lines: string[] = [];
  if (block.title !== undefined && block.title !== '') lines.push(`Document: ${block.title}`);
  if (block.context !== undefined && block.context !== '') lines.push(`Context: ${block.context}`);
  if (lines.length === 0) return text;
  return text === '' ? lines.join('\n') : `${lines.join('\n')}${BLOCK_SEPARATOR}${text}`;
}

/** A result of the caller's own search as plain text. */
export function searchResultText(block: SearchResultBlock): string {
  const texts = [`Search result: ${block.title}\nSource: ${block.source}`];
  for (const inner of block.content) texts.push(inner.text);
  return texts.join(BLOCK_SEPARATOR);
}
