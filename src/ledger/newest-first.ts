import type { Place } from '../shared/http/page-cursor.js';

/*
 * Lists that may be arbitrarily long, newest first. Each statement continues below a place (keyset): it never counts,
 * and skips nothing by number.
 */

/**
 * Rows that one statement looks at, whichever of them fit: it ends within milliseconds however few do. Chosen: the
 * embedded database runs in this process, and no turn of the event loop may take 20 ms.
 */
export const SCANNED_ROWS_MAX = 2_000;
/** Rows of one statement of an export. Chosen as above: they are read and printed in one turn. */
const EXPORTED_ROWS = 100;
/** How long a page searches on where few rows fit, in milliseconds; then it is returned as it is. */
const PAGE_MS_MAX = 25;

/** A part of a list. */
export interface Batch<Row> {
  readonly rows: readonly Row[];
  /** Where the next part begins; undefined where the list ends. */
  readonly next: Place | undefined;
}

/** Reads at most `limit` rows below a place; fewer, even none, where few of those that it looked at fit. */
export type ReadBatch<Row> = (after: Place | undefined, limit: number) => Promise<Batch<Row>>;

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Undefined on the last page. */
  readonly next: Place | undefined;
}

/** Parameters of a statement. */
export class Parameters {
  readonly values: unknown[] = [];

  /** @returns its place in the statement */
  add(value: unknown): string {
    this.values.push(value instanceof Date ? value.toISOString() : value);
    return `$${this.values.length}`;
  }
}

/** What a list is read from. */
export interface Scanned {
  /** Has the alias `g`. */
  readonly table: string;
  readonly columns: string;
  /** The order: columns or expressions of `g`; an index has to begin with `conditions` and continue with `at`. */
  readonly at: string;
  readonly id: string;
  /** That one index answers. */
  readonly conditions: readonly string[];
  /** Whether nearly all rows fit that meet the conditions: then it looks at no more than are requested. */
  readonly isExact: boolean;
  /** Judged for each row that the index returns: rows of other accounts never fit. */
  readonly filters: readonly string[];
  /** `from` inclusive, `to` exclusive. */
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** A row of `scanStatement`. */
export interface ScannedRow {
  readonly list_at: Date;
  readonly list_id: string;
  /** False of the last row looked at, where it does not fit. */
  readonly list_fits: boolean;
  /** It is the last one of as many rows as were looked at. */
  readonly list_is_last: boolean;
}

/**
 * The rows that fit among the next ones, `SCANNED_ROWS_MAX` of them or fewer, and the last of these whether it fits or
 * not: there the next statement continues.
 */
export function scanStatement(
  { table, columns, at, id, conditions, isExact, filters, from, to }: Scanned,
  parameters: Parameters,
  after: Place | undefined,
  limit: number,
): string {
  const within = [...conditions];
  if (from) within.push(`${at} >= ${parameters.add(from)}::timestamptz`);
  if (to) within.push(`${at} < ${parameters.add(to)}::timestamptz`);
  if (after) {
    const time = `${parameters.add(after.at)}::timestamptz`;
    // The first condition leaves out newer partitions, for which the second is not enough.
    within.push(`${at} <= ${time}`, `(${at}, ${id}) < (${time}, ${parameters.add(after.id)}::text)`);
  }
  const rows = isExact ? limit : SCANNED_ROWS_MAX;
  return `SELECT * FROM (
      SELECT ${columns}, ${at} AS list_at, ${id} AS list_id, coalesce(${filters.join(' AND ')}, false) AS list_fits,
        row_number() OVER (ORDER BY ${at} DESC, ${id} DESC) = ${rows} AS list_is_last
      FROM (SELECT * FROM ${table} g WHERE ${within.join(' AND ')} ORDER BY ${at} DESC, ${id} DESC LIMIT ${rows}) AS g
    ) AS seen
    WHERE list_fits OR list_is_last ORDER BY list_at DESC, list_id DESC LIMIT ${limit}`;
}

/** The batch of the rows of a `scanStatement` with this limit. */
export function batchOf<Row extends ScannedRow>(rows: readonly Row[], limit: number): Batch<Row> {
  const last = rows.at(-1);
  const isCut = last !== undefined && (rows.length === limit || last.list_is_last);
  return { rows: rows.filter(({ list_fits }) => list_fits), next: isCut ? placeOf(last) : undefined };
}

export const placeOf = ({ list_at: at, list_id: id }: ScannedRow): Place => ({ at, id });

/**
 * One page. It may have fewer rows than its limit, even none, and another page behind it: where few rows fit, it does
 * not search for longer than `PAGE_MS_MAX`.
 */
export async function readPage<Row extends ScannedRow>(
  read: ReadBatch<Row>,
  after: Place | undefined,
  limit: number,
): Promise<Page<Row>> {
  const startedAt = performance.now();
  const rows: Row[] = [];
  let next = after;
  do {
    // One more than is shown, to see whether there is another page.
    const batch = await read(next, limit + 1 - rows.length);
    rows.push(...batch.rows);
    next = batch.next;
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: placeOf(rows[limit - 1]!) };
  } while (next && performance.now() - startedAt < PAGE_MS_MAX);
  return { rows, next };
}

/** All rows from a place on, a batch at a time, each read when it is requested. */
export async function* readAll<Row>(read: ReadBatch<Row>, after: Place | undefined): AsyncGenerator<readonly Row[]> {
  let next = after;
  do {
    const batch = await read(next, EXPORTED_ROWS);
    yield batch.rows;
    next = batch.next;
  } while (next);
}
