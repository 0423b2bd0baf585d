import type { ImageBlock, TextBlock } from '../../core/conversation/content.js';

/** One page as it was read. */
export interface ReadPage {
  readonly text: string;
  /** Absent: none, or they were not looked for. */
  readonly images?: readonly ImageBlock[];
}

/**
 * A file as text: a block for each page, followed by its pictures. Pages without text, and pages that were not read,
 * are reported as such.
 * @param pages from the first one on
 * @param count of all pages of the file
 */
export function pageBlocks(pages: readonly ReadPage[], count: number): (TextBlock | ImageBlock)[] {
  const blocks: (TextBlock | ImageBlock)[] = [];
  const write = (text: string): void => void blocks.push({ type: 'text', text });
  const writeRange = (from: number, to: number, what: string): void =>
    write(from === to ? `[Page ${from} of ${count} ${what}.]` : `[Pages ${from} to ${to} of ${count} ${what}.]`);
  /** The first of consecutive pages without content. */
  let emptyFrom: number | undefined;
  const endEmpty = (to: number): void => {
    if (emptyFrom !== undefined) writeRange(emptyFrom, to, NO_TEXT);
    emptyFrom = undefined;
  };
  for (const [index, { text, images = [] }] of pages.entries()) {
    const number = index + 1;
    if (text === '' && images.length === 0) {
      emptyFrom ??= number;
      continue;
    }
    endEmpty(index);
    write(`[Page ${number} of ${count}]${text === '' ? '' : `\n${text}`}`);
    blocks.push(...images);
  }
  endEmpty(pages.length);
  if (pages.length < count) writeRange(pages.length + 1, count, 'left out');
  return blocks;
}

/** Keeps a reader from taking it for an empty page. */
const NO_TEXT = 'without any text: a scan or a drawing, whose words could not be read';
