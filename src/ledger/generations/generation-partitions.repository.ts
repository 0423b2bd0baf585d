import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../core/time.js';
import { tryLock } from '../../shared/database/advisory-locks.js';
import { Statements } from '../../shared/database/statements.js';
import { systemCode } from '../../shared/database/system-code.js';
import { withoutTimeout } from '../../shared/database/watched-client.js';
import { keepFigures } from '../figures/roll-up.repository.js';
import { closeAllBefore } from '../month-end/close-month.js';

/** Tables that are partitioned by the UTC month of `held_at`, and dropped by month. */
export type MonthlyTable = 'generations' | 'ledger_entries';

/** A month of one of these tables. */
export interface KeptMonth {
  readonly table: MonthlyTable;
  /** Start of the month. */
  readonly first: Date;
}

/**
 * `held`: the counters still contain holds of that time. `busy`: another replica is dropping it, or the table stayed in
 * use for too long. `gone`: another replica has dropped it.
 */
export type DropOutcome = 'dropped' | 'held' | 'busy' | 'gone';

/** An index of a monthly table that one of its months lacks (`sql/missing_indexes_1.sql`). Names as they are stored. */
export interface MissingIndex {
  readonly partition: string;
  readonly parent: string;
  readonly child: string;
  readonly definition: string;
  readonly state: 'missing' | 'building' | 'broken' | 'built';
}

/** Future months that are made ahead. */
const MONTHS_AHEAD = 2;
/** How long a drop waits for a lock, in milliseconds. Requests that queue behind it wait no longer than that. */
const LOCK_MS_MAX = 100;
/** SQLSTATE of a lock time-out, and of a deadlock. */
const IN_USE: readonly (string | undefined)[] = ['55P03', '40P01'];

/** SQLSTATE of an index that another replica has begun, dropped or not finished. */
const BUILT_BY_OTHERS: readonly (string | undefined)[] = ['42P07', '23505', '42704', '55000'];

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
    // Months are added without a time zone: in the session's zone, the 31st plus a month might skip a month.
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
   * Months that ended before the retention of their table, oldest first.
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

  async listMissingIndexes(): Promise<readonly MissingIndex[]> {
    return this.statements.run<MissingIndex & Record<string, unknown>>('SELECT * FROM missing_indexes_1()');
  }

  /**
   * Builds an index that a month lacks, without holding up settlements. Any number of replicas may call it at once: the
   * others return early.
   * @returns whether the month has it now
   */
  async buildIndex({ partition, parent, child, definition, state }: MissingIndex): Promise<boolean> {
    if (state === 'building') return false;
    const runner = this.database.createQueryRunner();
    try {
      await withoutTimeout(await runner.connect(), async () => {
        if (state === 'broken') await runner.query(`DROP INDEX CONCURRENTLY ${child}`);
        if (state !== 'built') await runner.query(`CREATE INDEX CONCURRENTLY ${child} ON ${partition} ${definition}`);
        await runner.query(`ALTER INDEX ${parent} ATTACH PARTITION ${child}`);
      });
      return true;
    } catch (error) {
      if (BUILT_BY_OTHERS.includes(systemCode(error))) return false;
      throw error;
    } finally {
      await runner.release();
    }
  }

  /**
   * Drops a month, all of it or nothing. Its totals remain: one closing row for each lifetime counter, its figures and
   * its statement. Any number of replicas may call it at once. Older months of the table must be dropped before.
   */
  async drop({ table, first }: KeptMonth): Promise<DropOutcome> {
    try {
      // Under a stricter level the snapshot would be older than the locks.
      return await this.database.transaction('READ COMMITTED', async (manager) =>
        withoutTimeout(await manager.queryRunner?.connect(), () =>
          dropWithin(manager, { table, first }, this.clock.aheadMs),
        ),
      );
    } catch (error) {
      if (IN_USE.includes(systemCode(error))) return 'busy';
      throw error;
    }
  }
}

async function dropWithin(manager: EntityManager, { table, first }: KeptMonth, aheadMs: number): Promise<DropOutcome> {
  // For this transaction only: the time limit of the role is meant for requests.
  await manager.query(`SET LOCAL statement_timeout = 0`);
  await manager.query(`SET LOCAL lock_timeout = '${LOCK_MS_MAX}ms'`);
  if (!(await tryLock(manager, 'ledgerRetention'))) return 'busy';
  const partition = partitionOf(table, first);
  if (!(await isTrue(manager, 'to_regclass($1) IS NOT NULL', partition))) return 'gone';

  // Waits for late writes to this month that are under way. A new one comes first all the same: it locks the whole
  // table, so the drop waits until its lock times out.
  await manager.query(`LOCK TABLE ${partition} IN SHARE MODE`);
  const next = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1));
  // A pending or unposted hold still moves windows that would be deleted, and may still be settled or corrected.
  if (await isTrue(manager, 'EXISTS (SELECT 1 FROM holds WHERE held_at < $1)', next)) return 'held';
  // The statement of the month needs both tables, and is never written again.
  await closeAllBefore(manager, next, aheadMs);
  if (table === 'ledger_entries') {
    await manager.query('DELETE FROM late_entries WHERE month = $1', [first.toISOString()]);
    await closeEntries(manager, partition, first);
    await deleteWindows(manager, next);
  } else {
    await keepFigures(manager, first, next);
  }
  // Last, because it locks the table for all others until the commit. Dropping a partition detaches it.
  await manager.query(`DROP TABLE ${partition}`);
  return 'dropped';
}

/** One closing row for each lifetime counter that entries of the month count for. */
async function closeEntries(manager: EntityManager, partition: string, first: Date): Promise<void> {
  // A month that was dropped and made again for a late entry has closings already: they are added to.
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
 * Deletes the windows that ended with the month or before. A week that reaches into the next month stays until that
 * month is dropped: where months are kept for less than a week it may be the current one, and must not restart at zero.
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

async function isTrue(manager: EntityManager, condition: string, parameter: unknown): Promise<boolean> {
  const [row] = await manager.query<{ readonly answer: boolean }[]>(`SELECT ${condition} AS answer`, [parameter]);
  return row?.answer === true;
}

/** Name of a partition, the same as in `ensure_month_1`. */
function partitionOf(table: MonthlyTable, first: Date): string {
  return `${table}_${first.toISOString().slice(0, 7).replace('-', '_')}`;
}
