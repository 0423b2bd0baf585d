import type { ListPosition } from '../shared/http/page-cursor.js';

/*
 * Lists that may be arbitrarily long, newest first. Each statement continues below a position (keyset): it never
 * counts, and skips nothing by number.
 */

/**
 * Rows that one statement looks at, whichever of them fit: it ends within milliseconds however few do. Chosen: the
 * embedded database runs in this process, and no turn of the event loop may take 20 ms.
 */
export const SCANNED_ROWS_MAX = 2_000;
/** Rows of one statement of an export. Chosen as above: they are read and printed in one turn. */
const EXPORTED_ROWS = 100;
/**
 * Milliseconds after which the search for further rows of a page ends. The page is returned incomplete where another
 * statement, if it takes as long as the last one, would end later.
 */
const PAGE_MS_MAX = 40;

/** A part of a list. */
export interface Batch<Row> {
  readonly rows: readonly Row[];
  /** The beginning of the next part; undefined: the list ends. */
  readonly next: ListPosition | undefined;
}

/** Reads at most `limit` rows below a position; fewer, even none, where few of those that it looked at fit. */
export type ReadBatch<Row> = (after: ListPosition | undefined, limit: number) => Promise<Batch<Row>>;

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Undefined on the last page. */
  readonly next: ListPosition | undefined;
}

/** Parameters of a statement. */
export class Parameters {
  readonly values: unknown[] = [];

  /** @returns its parameter in the statement */
  add(value: unknown): string {
    this.values.push(value instanceof Date ? value.toISOString() : value);
    return `$${this.values.length}`;
  }
}

/** The table and conditions that a list is read from. */
export interface ListSource {
  /** Has the alias `g`. */
  readonly table: string;
  readonly columns: string;
  /** The order: columns or expressions of `g`; an index has to begin with `conditions` and continue with `at`. */
  readonly at: string;
  readonly id: string;
  /** Conditions that one index answers. */
  readonly conditions: readonly string[];
  /** A column that the index has before `at`: a row has one of the values. Each is read by itself, newest first. */
  readonly anyOf?: { readonly column: string; readonly values: readonly string[] } | undefined;
  /** Whether nearly all rows fit that meet the conditions: then it looks at no more than are requested. */
  readonly isExact: boolean;
  /** Conditions that are checked for each row that the index returns, among them the account. */
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
  /** Whether the row is the last one of as many rows as the statement may read. */
  readonly list_is_last: boolean;
}

/**
 * The rows that fit among the next ones, `SCANNED_ROWS_MAX` of them or fewer, and the last of these whether it fits or
 * not: there the next statement continues.
 */
export function scanStatement(
  { table, columns, at, id, conditions, anyOf, isExact, filters, from, to }: ListSource,
  parameters: Parameters,
  after: ListPosition | undefined,
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
  const rows = isExact ? limit : Math.max(limit, Math.floor(SCANNED_ROWS_MAX / (anyOf?.values.length ?? 1)));
  const newest = `ORDER BY ${at} DESC, ${id} DESC LIMIT ${rows}`;
  const rowsOf = (more: string): string => `SELECT * FROM ${table} g WHERE ${within.join(' AND ')}${more} ${newest}`;
  const scanned =
    anyOf === undefined
      ? rowsOf('')
      : `SELECT g.* FROM unnest(${parameters.add(anyOf.values)}::text[]) AS any_of (value)
         CROSS JOIN LATERAL (${rowsOf(` AND ${anyOf.column} = any_of.value`)}) AS g ${newest}`;
  return `SELECT * FROM (
      SELECT ${columns}, ${at} AS list_at, ${id} AS list_id, coalesce(${filters.join(' AND ')}, false) AS list_fits,
        row_number() OVER (ORDER BY ${at} DESC, ${id} DESC) = ${rows} AS list_is_last
      FROM (${scanned}) AS g
    ) AS seen
    WHERE list_fits OR list_is_last ORDER BY list_at DESC, list_id DESC LIMIT ${limit}`;
}

/** The batch of the rows of a `scanStatement` with this limit. */
export function batchOf<Row extends ScannedRow>(rows: readonly Row[], limit: number): Batch<Row> {
  const last = rows.at(-1);
  const isCut = last !== undefined && (rows.length === limit || last.list_is_last);
  return { rows: rows.filter(({ list_fits }) => list_fits), next: isCut ? positionOf(last) : undefined };
}

export const positionOf = ({ list_at: at, list_id: id }: ScannedRow): ListPosition => ({ at, id });

/**
 * One page. It may have fewer rows than its limit, even none, and another page behind it: where few rows fit, it does
 * not search for longer than `PAGE_MS_MAX`.
 */
export async function readPage<Row extends ScannedRow>(
  read: ReadBatch<Row>,
  after: ListPosition | undefined,
  limit: number,
): Promise<Page<Row>> {
  const startedAt = performance.now();
  const rows: Row[] = [];
  let next = after;
  let tookMs: number;
  do {
    const sentAt = performance.now();
    // One row more than the page has: it shows whether there is another page.
    const batch = await read(next, limit + 1 - rows.length);
    rows.push(...batch.rows);
    next = batch.next;
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: positionOf(rows[limit - 1]!) };
    tookMs = performance.now() - sentAt;
  } while (next && performance.now() - startedAt + tookMs < PAGE_MS_MAX);
  return { rows, next };
}

/** All rows from a position on, a batch at a time, each read when it is requested. */
export async function* readAll<Row>(
  read: ReadBatch<Row>,
  after: ListPosition | undefined,
): AsyncGenerator<readonly Row[]> {
  let next = after;
  do {
    const batch = await read(next, EXPORTED_ROWS);
    yield batch.rows;
    next = batch.next;
  } while (next);
}
