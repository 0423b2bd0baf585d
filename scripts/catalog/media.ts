import type { SourceList } from '../catalog-sources.js';
import type { MediaFact, ModelEntry } from './author-file.js';
import type { WrittenEntry } from './printing.js';

/**
 * Text of a page, beside its picture: "1,500-3,000 tokens per page depending on content density"
 * (https://platform.claude.com/docs/en/build-with-claude/pdf-support). OpenAI reads pages likewise and gives no figure.
 */
export const PAGE_TEXT_TOKENS = 3_000;

/** For the bound of a call. Where no source gives a figure, an image or a page counts the whole context. */
export function mediaOf(book: SourceList, { images, pages, inputModalities }: ModelEntry): WrittenEntry {
  const { max, rule } = images ?? {};
  const paged = inputModalities?.value.includes('file') ? (pages ?? withText(max)) : undefined;
  return {
    lines: [
      ...(max ? [`    image_tokens_max: ${max.value}`] : []),
      ...(rule ? [`    image_tokens: ${rule.value}`] : []),
      ...(paged ? [`    page_tokens_max: ${paged.value}`] : []),
    ],
    origins: {
      ...(max && { image_tokens_max: book.add(max.source) }),
      ...(rule && { image_tokens: book.add(rule.source) }),
      ...(paged && { page_tokens_max: book.add(paged.source) }),
    },
  };
}

/** A page whose vendor publishes no figure counts as its picture and its text. */
const withText = (max: MediaFact | undefined): MediaFact | undefined =>
  max && { ...max, value: max.value + PAGE_TEXT_TOKENS };
