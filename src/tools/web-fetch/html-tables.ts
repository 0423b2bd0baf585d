import type TurndownService from 'turndown';
import type { TurndownNode } from 'turndown';

/**
 * Writes tables as GitHub-flavoured Markdown, in one pass: the published plugins visit all rows again for each cell. A
 * row with a single cell is layout and is written as plain text.
 */
export function writeTables(turndown: TurndownService): void {
  /** Tables whose first row, which Markdown takes for the head, is written. */
  const begun = new Set<TurndownNode>();
  turndown
    .addRule('cell', {
      filter: ['th', 'td'],
      replacement: (content, cell) => {
        if (isAlone(cell)) return `\n\n${content}\n\n`;
        return ` ${content
          .trim()
          .split(/\s*\n\s*/)
          .join(' ')
          .replaceAll('|', '\\|')} |`;
      },
    })
    .addRule('row', {
      filter: ['tr'],
      replacement: (content, row) => {
        const first = row.firstElementChild;
        if (!first || isAlone(first)) return content;
        const table = tableOf(row);
        const isHead = !begun.has(table);
        begun.add(table);
        return `\n|${content}${isHead ? `\n|${' --- |'.repeat(countFrom(first))}` : ''}`;
      },
    })
    .addRule('rows', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content })
    .addRule('table', { filter: ['table'], replacement: (content) => `\n\n${content.trim()}\n\n` });
}

const isAlone = (cell: TurndownNode): boolean => !cell.previousElementSibling && !cell.nextElementSibling;

const tableOf = ({ parentNode }: TurndownNode): TurndownNode =>
  parentNode.nodeName === 'TABLE' ? parentNode : parentNode.parentNode;

function countFrom(first: TurndownNode): number {
  let count = 0;
  for (let cell: TurndownNode | null = first; cell; cell = cell.nextElementSibling) count++;
  return count;
}
