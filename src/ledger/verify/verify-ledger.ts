import type { DataSource, EntityManager } from 'typeorm';
import { verifyHashes } from '../month-end/verify-statements.js';
import { COUNTED, KEPT_MONTHS, VERIFICATIONS, type Verification } from './verify-ledger-statements.js';

/** A figure that differs from its correct value. Texts for an operator: ids and amounts of USD, nothing secret. */
export interface LedgerDifference {
  readonly what: string;
  /** Computed from the entries, closings, grants and holds. */
  readonly expected: string;
  readonly found: string;
}

/** The extent of a verification. */
export interface LedgerCounted {
  readonly accounts: number;
  readonly windows: number;
  readonly entries: number;
  readonly generations: number;
  readonly holds: number;
}

export interface LedgerReport {
  readonly counted: LedgerCounted;
  /** The first of each kind, see `unlisted`. */
  readonly differences: readonly LedgerDifference[];
  /** Differences that are not listed, because there are too many of their kind. */
  readonly unlisted: number;
  /** Findings that look wrong and that the ledger explains. */
  readonly warnings: readonly LedgerDifference[];
}

/** Differences of one kind that are listed. */
const LISTED_MAX = 1_000;

interface DifferenceRow extends LedgerDifference {
  readonly is_warning: boolean;
  readonly total: string;
}

interface KeptMonthRow {
  readonly parent: string;
  readonly first: Date;
  /** The first month after the closed ones; null when none was closed. */
  readonly open_since: Date | null;
}

/**
 * Recomputes every balance, window and cost from the entries, and compares it with the counters, exactly. Everything is
 * read in one snapshot and nothing is written, so it may run beside working gateways; no month can be dropped
 * meanwhile.
 */
export async function verifyLedger(database: DataSource): Promise<LedgerReport> {
  return database.transaction('REPEATABLE READ', verifyWithin);
}

async function verifyWithin(manager: EntityManager): Promise<LedgerReport> {
  await manager.query(`SET TRANSACTION READ ONLY`);
  // For this transaction only: the role's limits are meant for requests, and compiling takes longer than most of these
  // statements.
  await manager.query(`SET LOCAL statement_timeout = 0`);
  await manager.query(`SET LOCAL work_mem = '64MB'`);
  await manager.query(`SET LOCAL jit = off`);
  // Before the snapshot, which the first query takes: a month dropped in between would be missing from both.
  await manager.query(`LOCK TABLE ONLY ledger_entries, ONLY generations IN ACCESS SHARE MODE`);

  const kept = readKeptMonths(await manager.query<KeptMonthRow[]>(KEPT_MONTHS));
  const rows: DifferenceRow[] = [];
  let unlisted = 0;
  for (const verification of VERIFICATIONS) {
    const found = await listDifferences(manager, verification, kept);
    unlisted += Math.max(0, Number(found[0]?.total ?? 0) - found.length);
    rows.push(...found);
  }
  const hashes = await verifyHashes(manager);
  unlisted += Math.max(0, hashes.length - LISTED_MAX);
  return {
    counted: await count(manager),
    differences: [...rows.filter((row) => !row.is_warning).map(viewDifference), ...hashes.slice(0, LISTED_MAX)],
    unlisted,
    warnings: rows.filter((row) => row.is_warning).map(viewDifference),
  };
}

/** The months that can be recomputed by window and by entry. */
interface KeptMonths {
  /** Windows that begin before it have lost entries. ISO 8601. */
  readonly since: string;
  /** First moments of the months of which both generations and entries are kept. ISO 8601. */
  readonly whole: readonly string[];
  /** First moments of the months of which all entries are kept. ISO 8601. */
  readonly entered: readonly string[];
}

function readKeptMonths(rows: readonly KeptMonthRow[]): KeptMonths {
  const times = (parent: string): readonly number[] =>
    rows.filter((row) => row.parent === parent).map(({ first }) => first.getTime());
  const entries = times('ledger_entries');
  const since = Math.max(Math.min(...entries), rows[0]?.open_since?.getTime() ?? -Infinity);
  const generations = new Set(times('generations'));
  const entered = entries.filter((time) => time >= since);
  return {
    since: new Date(Number.isFinite(since) ? since : 0).toISOString(),
    whole: entered.filter((time) => generations.has(time)).map((time) => new Date(time).toISOString()),
    entered: entered.map((time) => new Date(time).toISOString()),
  };
}

async function listDifferences(
  manager: EntityManager,
  { statement, reads }: Verification,
  kept: KeptMonths,
): Promise<readonly DifferenceRow[]> {
  const bounded = `SELECT *, count(*) OVER () AS total FROM (${statement}) AS difference ORDER BY what LIMIT ${LISTED_MAX}`;
  return manager.query<DifferenceRow[]>(bounded, reads === undefined ? [] : [kept[reads]]);
}

const viewDifference = ({ what, expected, found }: DifferenceRow): LedgerDifference => ({ what, expected, found });

async function count(manager: EntityManager): Promise<LedgerCounted> {
  const [row] = await manager.query<Record<keyof LedgerCounted, string>[]>(COUNTED);
  return {
    accounts: Number(row?.accounts),
    windows: Number(row?.windows),
    entries: Number(row?.entries),
    generations: Number(row?.generations),
    holds: Number(row?.holds),
  };
}
