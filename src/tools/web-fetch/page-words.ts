/** What a tree of elements is made of. */
export const isHtml = (mediaType: string): boolean =>
  mediaType === 'text/html' || mediaType === 'application/xhtml+xml';

/** What there is to read on a page. */
export interface PageWords {
  /** '' where it has none. */
  readonly title: string;
  readonly text: string;
}
