/** Whether a page is parsed as HTML. */
export const isHtml = (mediaType: string): boolean =>
  mediaType === 'text/html' || mediaType === 'application/xhtml+xml';

/** The readable text of a page. */
export interface PageText {
  /** '' where it has none. */
  readonly title: string;
  readonly text: string;
}
