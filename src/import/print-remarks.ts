import { oneLine } from '../core/text/one-line.js';
import { REMARK_GROUPS, type Remark, type RemarkGroup } from './remark.js';

/** Lines of a group that are printed by default. Chosen. */
const SHOWN_MAX = 40;
/** Limits a line, since keys and names of models come from the file. */
const LINE_CHARACTERS_MAX = 300;

/**
 * Prints the remarks as lines under their headings, each once. @param isWhole all of them, else the first 40 of a group
 */
export function printRemarks(remarks: readonly Remark[], isWhole: boolean): string {
  const groups = Object.keys(REMARK_GROUPS) as RemarkGroup[];
  return groups.map((group) => printGroup(group, remarks, isWhole)).join('');
}

function printGroup(group: RemarkGroup, remarks: readonly Remark[], isWhole: boolean): string {
  const of = remarks.filter((remark) => remark.group === group);
  const lines = [...new Set(of.map(({ location, message }) => shorten(`  ${location}: ${message}`)))];
  if (lines.length === 0) return '';
  const shown = isWhole ? lines : lines.slice(0, SHOWN_MAX);
  const left = lines.length - shown.length;
  if (left > 0) shown.push(`  … and ${left} more: --all shows them`);
  return `\n${REMARK_GROUPS[group]} (${lines.length})\n${shown.join('\n')}\n`;
}

function shorten(line: string): string {
  const printable = oneLine(line);
  return printable.length <= LINE_CHARACTERS_MAX ? printable : `${printable.slice(0, LINE_CHARACTERS_MAX - 1)}…`;
}
