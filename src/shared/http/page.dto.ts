import { PageLimit, PageOffset } from './query-fields.js';

/** A part of a list. */
export interface Page {
  /** How many entries are passed over. */
  readonly offset: number;
  /** How many are shown at the most. */
  readonly limit: number;
}

/** Query of a list. */
export class PageDto implements Page {
  @PageOffset()
  offset = 0;

  @PageLimit()
  limit = 50;
}
