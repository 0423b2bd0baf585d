import { createHash } from 'node:crypto';
import { GatewayError } from '../../core/errors.js';
import { formatUsd, type PicoUsd } from '../../core/money/credits.js';
import { pluralize } from '../../core/text/pluralize.js';
import { batches } from '../../shared/queues/batches.js';
import { waitForLock } from '../../shared/database/advisory-locks.js';
import { ALL_PROMPT_TOKENS } from '../generations/generation-columns.js';
import { gatherLines, type StatementRunner } from './gather-lines.js';
import { monthAfter, monthBefore, printMonth } from './months.js';
import { CSV_HEAD, printLine, readUsd, type StoredLine } from './statement-line.js';
import { closingOf, LineSums } from './statement-totals.js';

/*
 * Closes a month (docs/contribute/ledger.md#month-end), in steps that any replica may repeat or continue:
 *
 * 1. `announce`: it is decided what belongs to the month. From here on, postings copy late entries.
 * 2. `waitForPostings`: postings that have not seen the announcement have ended.
 * 3. `copyCorrectable`, `writeLines`: the result is the same in any replica, and after any number of repetitions.
 * 4. `complete`: totals and hash.
 */

/** Lines that one statement writes or reads. Chosen: they are printed in one turn. */
const LINES_AT_ONCE = 200;
/** Holds that one statement posts. */
const POSTED_AT_ONCE = 1_000;
/** `closed_by` of months that were closed because their rows are dropped. */
export const BY_RETENTION = 'retention';
/** Hash of the csv of a month in which nothing happened. */
const EMPTY_HASH = createHash('sha256').update(CSV_HEAD).digest('hex');

/** The month to close, and the way of closing it. */
export interface Closing {
  readonly accountId: string;
  readonly month: Date;
  /** Hash of a key, or `BY_RETENTION`. */
  readonly by: string;
  /** How far the clock of this process is ahead of the database's, in milliseconds. */
  readonly aheadMs: number;
}

/** The state of an account's months. */
export interface MonthsState {
  /** The first month with a statement or with entries; undefined: nothing was entered yet. */
  readonly start: Date | undefined;
  /** The last closed month; its closing may be unfinished. */
  readonly last: { readonly month: Date; readonly isComplete: boolean; readonly closing: PicoUsd } | undefined;
  /** The balance before `start`, where nothing is closed. */
  readonly before: PicoUsd;
}

/** The first open month. @param state with a start */
export const openSince = ({ start, last }: MonthsState): Date => (last ? monthAfter(last.month) : start!);

export async function readState(store: StatementRunner, accountId: string): Promise<MonthsState> {
  const [row] = await store.query<
    {
      first: Date | null;
      last: Date | null;
      hash: string | null;
      closing: string | null;
      start: Date | null;
      before: string | null;
    }[]
  >(
    `WITH closed AS (SELECT min(month) AS first, max(month) AS last FROM statements WHERE account_id = $1),
     dropped AS (SELECT max(month) AS month FROM ledger_closings WHERE account_id = $1 AND scope = 'account'),
     begun AS (
       SELECT coalesce(
         (SELECT date_trunc('month', month + interval '32 days', 'UTC') FROM dropped),
         date_trunc('month', least(
           (SELECT min(created_at) FROM credit_grants WHERE account_id = $1),
           (SELECT min(held_at) FROM ledger_entries WHERE account_id = $1)
         ), 'UTC')
       ) AS start
     )
     SELECT c.first, c.last, s.hash, s.closing_balance AS closing, b.start,
       CASE WHEN c.last IS NULL THEN
         (SELECT coalesce(sum(amount), 0) FROM credit_grants WHERE account_id = $1 AND created_at < b.start)
         - (SELECT coalesce(sum(amount), 0) FROM ledger_closings WHERE account_id = $1 AND scope = 'account')
         - (SELECT coalesce(sum(amount), 0) FROM ledger_entries WHERE account_id = $1 AND held_at < b.start)
       END AS before
     FROM closed c CROSS JOIN begun b LEFT JOIN statements s ON s.account_id = $1 AND s.month = c.last`,
    [accountId],
  );
  const { first, last, hash, closing, start, before } = row!;
  return {
    start: first ?? start ?? undefined,
    last: last ? { month: last, isComplete: hash !== null, closing: readUsd(closing ?? '0') } : undefined,
    before: readUsd(before ?? '0'),
  };
}

/** Posts what is settled and began before a time, so that the month that ends there has it. */
export async function postSettled(store: StatementRunner, accountId: string, until: Date): Promise<void> {
  for (;;) {
    const rows = await store.query<{ posted: number }[]>(
      `SELECT post_holds_2(array(
         SELECT generation_id FROM holds WHERE account_id = $1 AND held_at < $2 AND cost IS NOT NULL
         ORDER BY held_at LIMIT ${POSTED_AT_ONCE}
       )) AS posted`,
      [accountId, until.toISOString()],
    );
    if (Number(rows[0]?.posted) < POSTED_AT_ONCE) return;
  }
}

/**
 * Decides, within a transaction, that a month is closed, and the empty ones before it. No month may be unfinished.
 * @returns false where it is closed already
 * @throws GatewayError `not-found` for a month before the account; `conflict` where it cannot be closed yet
 */
export async function announce(transaction: StatementRunner, closing: Closing): Promise<boolean> {
  const { accountId, month, by, aheadMs } = closing;
  await waitForLock(transaction, 'monthEnd');
  const state = await readState(transaction, accountId);
  if (!state.start || month < state.start) throw noSuchMonth(month);
  if (state.last && month <= state.last.month) return false;
  const first = openSince(state);
  await assertEnded(transaction, closing);
  const earlier = await findEarlier(transaction, closing, first);
  if (earlier) {
    throw new GatewayError(
      'conflict',
      `${printMonth(earlier)} has entries and is open: close it before ${printMonth(month)}.`,
    );
  }
  const balance = state.last?.closing ?? state.before;
  const next = monthAfter(month).toISOString();
  await transaction.query(
    `INSERT INTO statements (account_id, month, closed_at, closed_by, opening_balance, credits, charges, corrections, closing_balance, hash)
     SELECT $1, m.first, clock_timestamp() + $6 * interval '1 millisecond', $4, $5, 0, 0, 0, $5,
       CASE WHEN m.first < $3::timestamptz THEN $7 END
     FROM (
       SELECT (($2::timestamptz AT TIME ZONE 'UTC') + number * interval '1 month') AT TIME ZONE 'UTC' AS first
       FROM generate_series(0, $8) AS number
     ) AS m`,
    [accountId, first, month, by, formatUsd(balance), aheadMs, EMPTY_HASH, monthsBetween(first, month)].map(asText),
  );
  await transaction.query(
    `INSERT INTO figure_progress AS p (marked_until, closed_until) VALUES ('epoch', $1)
     ON CONFLICT (id) DO UPDATE SET closed_until = greatest(p.closed_until, excluded.closed_until)`,
    [next],
  );
  // Copied for another account that closed earlier: here they are in time.
  await transaction.query(
    `DELETE FROM late_entries WHERE account_id = $1 AND month IS NULL AND held_at >= $2 AND held_at < $3`,
    [accountId, first.toISOString(), next],
  );
  await transaction.query(
    `UPDATE late_entries SET month = $2 WHERE account_id = $1 AND month IS NULL AND held_at < $3 AND entered_at < $4`,
    [accountId, month.toISOString(), first.toISOString(), next],
  );
  return true;
}

/** Waits, in a separate transaction, for every transaction that posts and may not know yet that a month is closed. */
export const waitForPostings = (transaction: StatementRunner): Promise<void> =>
  waitForLock(transaction, 'postedSettlements');

/**
 * Copies the charges of recovered generations: a correction may replace such a generation at any time, and it then has
 * to be known that the charge is in a statement.
 */
export async function copyCorrectable(store: StatementRunner, { accountId, month }: Closing): Promise<void> {
  await store.query(
    `INSERT INTO late_entries (generation_id, held_at, kind, account_id, month, entered_at, workspace_id, key_hash, member, model,
       prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, amount, byok_amount, operator_cost)
     SELECT e.generation_id, e.held_at, e.kind, e.account_id, $2, e.entered_at, e.workspace_id, e.key_hash, g.key_user, g.model,
       ${ALL_PROMPT_TOKENS}, g.completion_tokens, g.cache_read_tokens, g.reasoning_tokens, e.amount, e.byok_amount, g.operator_cost
     FROM generations g JOIN ledger_entries e ON e.held_at = g.held_at AND e.generation_id = g.id AND e.kind = 'charge'
     WHERE g.account_id = $1 AND g.held_at >= $2 AND g.held_at < $3
       AND g.outcome = 'recovered' AND g.is_recovered AND NOT g.is_corrected
       AND NOT EXISTS (SELECT FROM holds h WHERE h.generation_id = g.id AND h.cost IS NOT NULL)
     ORDER BY 1
     ON CONFLICT DO NOTHING`,
    [accountId, month.toISOString(), monthAfter(month).toISOString()],
  );
}

/** Writes the lines of a closed month. Those that another replica has written are the same. */
export async function writeLines(store: StatementRunner, { accountId, month }: Closing): Promise<void> {
  let index = 0;
  const gathered = { accountId, month, isClosed: true, openSince: monthAfter(month) };
  for await (const lines of gatherLines(store, gathered)) {
    for (const batch of batches(lines, LINES_AT_ONCE)) {
      await store.query(
        `INSERT INTO statement_lines (account_id, month, place, kind, workspace_id, workspace, key_hash, key_name, member, model,
           count, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, amount, byok_amount, operator_cost)
         SELECT $1, $2, l.* FROM json_to_recordset($3) AS l (
           place int, kind text, workspace_id text, workspace text, key_hash text, key_name text, member text, model text, count bigint,
           prompt_tokens bigint, completion_tokens bigint, cached_tokens bigint, reasoning_tokens bigint,
           amount numeric, byok_amount numeric, operator_cost numeric)
         ON CONFLICT DO NOTHING`,
        [accountId, month.toISOString(), JSON.stringify(batch.map((line) => ({ ...line, place: ++index })))],
      );
    }
  }
}

/** The stored lines of a closed month, in their order. */
export async function* readLines(
  store: StatementRunner,
  accountId: string,
  month: Date,
): AsyncGenerator<readonly StoredLine[]> {
  let after = 0;
  for (;;) {
    const lines = await store.query<(StoredLine & { place: number })[]>(
      `SELECT * FROM statement_lines WHERE account_id = $1 AND month = $2 AND place > $3 ORDER BY place LIMIT ${LINES_AT_ONCE}`,
      [accountId, month.toISOString(), after],
    );
    yield lines;
    if (lines.length < LINES_AT_ONCE) return;
    after = lines.at(-1)!.place;
  }
}

/** The sums of the stored lines of a month, and the hash of their csv. */
export interface Summary {
  readonly sums: LineSums;
  readonly hash: string;
}

export async function summarize(store: StatementRunner, accountId: string, month: Date): Promise<Summary> {
  const sums = new LineSums();
  const hash = createHash('sha256').update(CSV_HEAD);
  for await (const lines of readLines(store, accountId, month)) {
    for (const line of lines) {
      sums.add(line);
      hash.update(printLine(month, line));
    }
  }
  return { sums, hash: hash.digest('hex') };
}

/** Completes the statement of a month, once. @returns whether this call did it */
export async function complete(
  transaction: StatementRunner,
  { accountId, month }: Closing,
  { sums, hash }: Summary,
): Promise<boolean> {
  await waitForLock(transaction, 'monthEnd');
  const [row] = await transaction.query<{ opening: string }[]>(
    `SELECT opening_balance AS opening FROM statements WHERE account_id = $1 AND month = $2 AND hash IS NULL`,
    [accountId, month.toISOString()],
  );
  if (!row) return false;
  const closing = closingOf(readUsd(row.opening), sums);
  await transaction.query(
    `UPDATE statements SET credits = $3, charges = $4, corrections = $5, closing_balance = $6, hash = $7
     WHERE account_id = $1 AND month = $2`,
    [accountId, month.toISOString(), ...[sums.credits, sums.charges, sums.corrections, closing].map(formatUsd), hash],
  );
  return true;
}

async function assertEnded(transaction: StatementRunner, { accountId, month, aheadMs }: Closing): Promise<void> {
  const [row] = await transaction.query<{ ended: boolean; count: string; until: Date | null }[]>(
    `SELECT clock_timestamp() + $3 * interval '1 millisecond' >= $2::timestamptz AS ended, count(*) AS count, max(deadline_at) AS until
     FROM holds WHERE account_id = $1 AND held_at < $2`,
    [accountId, monthAfter(month).toISOString(), aheadMs],
  );
  const { ended, count, until } = row!;
  if (!ended)
    throw new GatewayError('conflict', `${printMonth(month)} has not ended: only a month that ended is closed.`);
  if (count === '0') return;
  throw new GatewayError(
    'conflict',
    `Not settled yet: ${pluralize(Number(count), 'call')} that began in ${printMonth(month)} or before${
      until ? `, the last by ${until.toISOString()} at the latest` : ''
    }; try again then.`,
  );
}

/** The first open month before this one in which anything was entered. */
async function findEarlier(
  transaction: StatementRunner,
  { accountId, month }: Closing,
  first: Date,
): Promise<Date | undefined> {
  const [row] = await transaction.query<{ earlier: Date | null }[]>(
    `SELECT date_trunc('month', least(
       (SELECT min(created_at) FROM credit_grants WHERE account_id = $1 AND created_at >= $2 AND created_at < $3),
       (SELECT min(held_at) FROM ledger_entries WHERE account_id = $1 AND held_at >= $2 AND held_at < $3),
       (SELECT greatest(entered_at, $2::timestamptz) FROM late_entries
        WHERE account_id = $1 AND month IS NULL AND held_at < $2 AND entered_at < $3 AND $2::timestamptz < $3::timestamptz ORDER BY entered_at LIMIT 1)
     ), 'UTC') AS earlier`,
    [accountId, first.toISOString(), month.toISOString()],
  );
  return row?.earlier ?? undefined;
}

/** Closes all months of all accounts before `until`, within a transaction in which nothing before it can be settled. */
export async function closeAllBefore(transaction: StatementRunner, until: Date, aheadMs: number): Promise<void> {
  const accounts = await transaction.query<{ id: string }[]>('SELECT id FROM accounts ORDER BY id');
  for (const { id: accountId } of accounts) {
    for (;;) {
      const state = await readState(transaction, accountId);
      const closing = (month: Date): Closing => ({ accountId, month, by: BY_RETENTION, aheadMs });
      if (state.last && !state.last.isComplete) {
        await writeStatement(transaction, closing(state.last.month));
        continue;
      }
      if (!state.start || openSince(state) >= until) break;
      const earlier = await findEarlier(transaction, closing(until), openSince(state));
      const month = earlier ?? monthBefore(until);
      await announce(transaction, closing(month));
      await writeStatement(transaction, closing(month));
    }
  }
}

async function writeStatement(transaction: StatementRunner, closing: Closing): Promise<void> {
  await copyCorrectable(transaction, closing);
  await writeLines(transaction, closing);
  await complete(transaction, closing, await summarize(transaction, closing.accountId, closing.month));
}

export const noSuchMonth = (month: Date): GatewayError =>
  new GatewayError('not-found', `There is no statement of ${printMonth(month)}: nothing was entered before it ended.`);

const monthsBetween = (first: Date, last: Date): number =>
  (last.getUTCFullYear() - first.getUTCFullYear()) * 12 + last.getUTCMonth() - first.getUTCMonth();

const asText = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);
