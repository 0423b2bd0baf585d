import { PageLimit, PageOffset } from './query-fields.js';

/** A part of a list. */
export interface Page {
  /** Number of skipped entries. */
  readonly offset: number;
  /** Limit of returned entries. */
  readonly limit: number;
}

/** Query of a list. */
export class PageDto implements Page {
  @PageOffset()
  offset = 0;

  @PageLimit()
  limit = 50;
}
