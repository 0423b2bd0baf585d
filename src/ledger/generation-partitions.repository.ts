import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../core/time.js';
import { tryLock } from '../shared/database/advisory-locks.js';
import { Statements } from '../shared/database/statements.js';
import { systemCode } from '../shared/database/system-code.js';
import { withoutTimeout } from '../shared/database/watched-client.js';

/** Tables that are kept by the UTC month of `held_at`, and dropped by it. */
export type MonthlyTable = 'generations' | 'ledger_entries';

/** A month of one of them. */
export interface KeptMonth {
  readonly table: MonthlyTable;
  /** Its first moment. */
  readonly first: Date;
}

/**
 * `held`: calls of that time still stand in the counters. `busy`: another replica is at it, or the table was in use for
 * too long. `gone`: another replica was faster.
 */
export type DropOutcome = 'dropped' | 'held' | 'busy' | 'gone';

/** The current month and those after it that are made ahead. */
const MONTHS_AHEAD = 2;
/** How long a drop waits for what is in use, in milliseconds. Requests wait behind it as long, and no longer. */
const LOCK_MS_MAX = 100;
/** SQLSTATE of a lock that was waited for in vain, and of two that waited for one another. */
const IN_USE: readonly (string | undefined)[] = ['55P03', '40P01'];

/** The statements over the months of the ledger. */
@Injectable()
export class GenerationPartitionsRepository {
  constructor(
    private readonly database: DataSource,
    private readonly statements: Statements,
    private readonly clock: Clock,
  ) {}

  /** Makes the partitions of the month that holds `at`. */
  async make(at: Date): Promise<void> {
    await this.statements.run('SELECT ensure_month_1($1)', [at.toISOString()]);
  }

  /** Makes the current month and the next two, by the database's clock. @returns the first moment of each */
  async makeAhead(): Promise<readonly Date[]> {
    // GenerationPartitions are added without a time zone: in that of the session, the 31st and a month might
    // be the month after next.
    const rows = await this.statements.run<{ first: Date }>(
      `SELECT month.first, ensure_month_1(month.first) FROM (
         SELECT (date_trunc('month', (clock_timestamp() + $1 * interval '1 millisecond') AT TIME ZONE 'UTC')
           + number * interval '1 month') AT TIME ZONE 'UTC' AS first
         FROM generate_series(0, ${MONTHS_AHEAD}) AS number
       ) AS month`,
      [this.clock.aheadMs],
    );
    return rows.map(({ first }) => first);
  }

  /**
   * GenerationPartitions that ended longer ago than their table is kept for, oldest first.
   * @param days to keep; null: for ever
   */
  async listPast(days: Readonly<Record<MonthlyTable, number | null>>): Promise<readonly KeptMonth[]> {
    const rows = await this.statements.run<{ parent: MonthlyTable; first: Date }>(
      `SELECT kept.parent, month.first
       FROM (VALUES ('generations', $1::int), ('ledger_entries', $2::int)) AS kept (parent, days)
       JOIN pg_inherits ON inhparent = kept.parent::regclass
       JOIN pg_class ON pg_class.oid = inhrelid
       CROSS JOIN LATERAL (SELECT to_date(right(relname, 7), 'YYYY_MM')::timestamp AS day) AS name
       CROSS JOIN LATERAL (SELECT day AT TIME ZONE 'UTC' AS first, (day + interval '1 month') AT TIME ZONE 'UTC' AS next) AS month
       WHERE month.next <= clock_timestamp() + $3 * interval '1 millisecond' - kept.days * interval '24 hours'
       ORDER BY month.first, kept.parent`,
      [days.generations, days.ledger_entries, this.clock.aheadMs],
    );
    return rows.map(({ parent, first }) => ({ table: parent, first }));
  }

  /**
   * Drops a month, all of it or nothing. What a month of entries came to stays: in one closing for each lifetime
   * counter. Any number of replicas may call it at once. Older months of the table must be gone.
   */
  async drop({ table, first }: KeptMonth): Promise<DropOutcome> {
    try {
      // Under a stricter level the snapshot would be older than the locks.
      return await this.database.transaction('READ COMMITTED', async (manager) =>
        withoutTimeout(await manager.queryRunner?.connect(), () => dropWithin(manager, table, first)),
      );
    } catch (error) {
      if (IN_USE.includes(systemCode(error))) return 'busy';
      throw error;
    }
  }
}

async function dropWithin(manager: EntityManager, table: MonthlyTable, first: Date): Promise<DropOutcome> {
  // For this transaction only: a role's own time limit is meant for requests.
  await manager.query(`SET LOCAL statement_timeout = 0`);
  await manager.query(`SET LOCAL lock_timeout = '${LOCK_MS_MAX}ms'`);
  if (!(await tryLock(manager, 'ledgerRetention'))) return 'busy';
  const partition = partitionOf(table, first);
  if (!(await ask(manager, 'to_regclass($1) IS NOT NULL', partition))) return 'gone';

  // Who is writing something late to this month is waited for. Whoever would begin to comes first all the same: holding
  // the whole table, it keeps the drop from it until that gives up.
  await manager.query(`LOCK TABLE ${partition} IN SHARE MODE`);
  const next = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1));
  // What is held or not posted moves the windows that would go, and may still be settled or corrected.
  if (await ask(manager, 'EXISTS (SELECT 1 FROM holds WHERE held_at < $1)', next)) return 'held';
  if (table === 'ledger_entries') {
    await closeEntries(manager, partition, first);
    await deleteWindows(manager, next);
  }
  // Last, for it keeps everybody from the table until the commit. A partition that is dropped is detached by it.
  await manager.query(`DROP TABLE ${partition}`);
  return 'dropped';
}

/** One row for each lifetime counter that the entries of the month count for. */
async function closeEntries(manager: EntityManager, partition: string, first: Date): Promise<void> {
  // A month that was dropped before, and made again for a late entry, has its closings already.
  await manager.query(
    `INSERT INTO ledger_closings AS closing (month, account_id, scope, scope_id, amount, byok_amount, entries)
     WITH sums AS (
       SELECT account_id, key_hash, budgets, sum(amount) AS amount, sum(byok_amount) AS byok_amount, count(*) AS entries
       FROM ${partition} GROUP BY 1, 2, 3
     )
     SELECT $1::timestamptz, sums.account_id, counter.scope, counter.scope_id, sum(amount), sum(byok_amount), sum(entries)
     FROM sums CROSS JOIN LATERAL counters_of_1(account_id, key_hash, NULL, budgets) AS counter
     WHERE counter.window_interval = 'lifetime'
     GROUP BY sums.account_id, counter.scope, counter.scope_id
     ON CONFLICT (month, scope, scope_id) DO UPDATE
       SET amount = closing.amount + excluded.amount, byok_amount = closing.byok_amount + excluded.byok_amount,
         entries = closing.entries + excluded.entries`,
    [first.toISOString()],
  );
}

/**
 * Deletes the windows that ended with the month or before. A week that reaches into the next month stays, until that
 * one goes: it may be the current one, where a month is kept for less than a week, and its cap must not begin anew.
 * Lifetime windows never end.
 */
async function deleteWindows(manager: EntityManager, next: Date): Promise<void> {
  await manager.query(
    `DELETE FROM spending_windows
     WHERE interval <> 'lifetime' AND window_start < $1
       AND (interval <> 'weekly' OR window_start <= $1::timestamptz - interval '168 hours')`,
    [next.toISOString()],
  );
}

async function ask(manager: EntityManager, condition: string, parameter: unknown): Promise<boolean> {
  const [row] = await manager.query<{ readonly answer: boolean }[]>(`SELECT ${condition} AS answer`, [parameter]);
  return row?.answer === true;
}

/** As `ensure_month_1` names it. */
function partitionOf(table: MonthlyTable, first: Date): string {
  return `${table}_${first.toISOString().slice(0, 7).replace('-', '_')}`;
}
