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
  const isSaid = ({ text, images = [] }: ReadPage): boolean => text !== '' || images.length > 0;
  if (pages.length === count && !pages.some(isSaid)) return [sentence(`[${noText(count)}]`)];
  const blocks = pages.flatMap((page, index): (TextBlock | ImageBlock)[] => {
    const head = `Page ${index + 1} of ${count}`;
    const text = page.text === '' ? `[${head} has no text.]` : `[${head}]\n${page.text}`;
    return [sentence(text), ...(page.images ?? [])];
  });
  const left = pages.length + 1;
  if (left < count) blocks.push(sentence(`[Pages ${left} to ${count} were left out.]`));
  if (left === count) blocks.push(sentence(`[Page ${count} was left out.]`));
  return blocks;
}

const sentence = (text: string): TextBlock => ({ type: 'text', text });

const noText = (count: number): string =>
  count === 1
    ? 'This PDF has one page, without any text: it is a scan or a drawing, and its words could not be read.'
    : `This PDF has ${count} pages, none with any text: they are scans or drawings, and their words could not be read.`;
