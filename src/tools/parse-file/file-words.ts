import type { ImageBlock, TextBlock } from '../../core/conversation/content.js';

/** One page as it was read. */
export interface ReadPage {
  readonly text: string;
  /** Absent: none, or they were not looked for. */
  readonly images?: readonly ImageBlock[];
}

/**
 * A file in words: a text for each page, its pictures behind it. What has no text, and what was not read, is told as
 * that: nothing is made up.
 * @param pages from the first one on
 * @param count of all pages of the file
 */
export function wordsOf(pages: readonly ReadPage[], count: number): (TextBlock | ImageBlock)[] {
  const blocks: (TextBlock | ImageBlock)[] = [];
  const tell = (text: string): void => void blocks.push({ type: 'text', text });
  const tellRange = (from: number, to: number, what: string): void =>
    tell(from === to ? `[Page ${from} of ${count} ${what}.]` : `[Pages ${from} to ${to} of ${count} ${what}.]`);
  /** Of pages without anything that come one after the other. */
  let emptyFrom: number | undefined;
  const endEmpty = (to: number): void => {
    if (emptyFrom !== undefined) tellRange(emptyFrom, to, NO_TEXT);
    emptyFrom = undefined;
  };
  for (const [index, { text, images = [] }] of pages.entries()) {
    const number = index + 1;
    if (text === '' && images.length === 0) {
      emptyFrom ??= number;
      continue;
    }
    endEmpty(index);
    tell(`[Page ${number} of ${count}]${text === '' ? '' : `\n${text}`}`);
    blocks.push(...images);
  }
  endEmpty(pages.length);
  if (pages.length < count) tellRange(pages.length + 1, count, 'left out');
  return blocks;
}

/** Whoever reads it is not to take it for an empty page. */
const NO_TEXT = 'without any text: a scan or a drawing, whose words could not be read';
