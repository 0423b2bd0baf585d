import { PageLimit, PageOffset } from './query-validators.js';

/** The position of an entry in a list, the newest first. */
export interface RowPosition {
  readonly at: Date;
  /** What orders entries of the same moment. */
  readonly ids: readonly string[];
}

/** A part of a list. */
export interface Page {
  /** Number of skipped entries. */
  readonly offset: number;
  /** Limit of returned entries. */
  readonly limit: number;
  /** Behind this entry it begins, in place of `offset`: what an export has read is not read again to skip it. */
  readonly after?: RowPosition | undefined;
}

/** A part of a list with the number of all entries (behind an entry: 0), and the position of its last one. */
export type ListPart<Row> = readonly [rows: readonly Row[], total: number, last: RowPosition | undefined];

/** Query of a list. */
export class PageDto implements Page {
  @PageOffset()
  offset = 0;

  @PageLimit()
  limit = 50;
}
