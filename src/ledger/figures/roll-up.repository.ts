import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock, DAY_MS, HOUR_MS } from '../../core/time.js';
import { tryLock, waitForLock } from '../../shared/database/advisory-locks.js';
import { withoutTimeout } from '../../shared/database/watched-client.js';
import { startOfWeek } from './coverage.js';
import { sumHours, sumSpans, SUMMED_COLUMNS, type LongSpan } from './figure-sums.js';

/**
 * Minutes between the end of an hour and the computation of its figures. Chosen: a minute more than a call lasts at
 * most, unless its time-out was changed, so that few hours change later.
 */
const CLOSED_AFTER_MINUTES = 16;

/** `busy`: another replica writes figures at this moment. `done`: nothing is left. */
export type RollOutcome = 'rolled' | 'busy' | 'done';

/** One step of a round. */
export interface RollStep {
  /** Hours before this time may be rolled up once all transactions that began before the announcement have ended. */
  readonly announced: Date;
  /** Changed hours up to this one were written in this round already. */
  readonly after: Date;
  /** Hours of one transaction at most. */
  readonly hoursMax: number;
}

interface Progress {
  readonly rolled_until: Date | null;
}

interface ChangedHour {
  readonly hour: Date;
  readonly changes: string;
}

/**
 * The statements that write figures (docs/contribute/ledger.md#figures). Any number of replicas may run them at once,
 * and may die at any moment: a transaction writes hours, their days and weeks, and the progress together.
 */
@Injectable()
export class RollUpRepository {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Announces the hours that have ended, so that from now on their changes are noted, and waits for all transactions
   * that may not have seen it.
   * @returns the end of these hours
   */
  async announce(): Promise<Date> {
    const [row] = await this.database.query<{ announced: Date }[]>(
      `WITH ended AS (
         SELECT date_trunc('hour', now() + $1 * interval '1 millisecond' - interval '${CLOSED_AFTER_MINUTES} minutes', 'UTC') AS until
       ), moved AS (
         INSERT INTO figure_progress AS p (marked_until) SELECT until FROM ended
         ON CONFLICT (id) DO UPDATE SET marked_until = greatest(p.marked_until, excluded.marked_until)
       )
       SELECT until AS announced FROM ended`,
      [this.clock.aheadMs],
    );
    await this.database.transaction('READ COMMITTED', async (manager) => {
      await withoutTimeout(await manager.queryRunner?.connect(), () => waitForLock(manager, 'postedSettlements'));
    });
    return row!.announced;
  }

  /**
   * Writes the figures of changed hours, else of the next ones.
   * @returns the last changed hour that it wrote, if any
   */
  async roll(step: RollStep): Promise<{ readonly outcome: RollOutcome; readonly changed?: Date }> {
    return this.inTransaction(async (manager) => {
      if (!(await tryLock(manager, 'figures'))) return { outcome: 'busy' };
      const rolledUntil = await readProgress(manager);
      const changed = await listChanged(manager, step, rolledUntil);
      if (changed.length > 0) {
        await writeHours(manager, changed, rolledUntil, rolledUntil);
        return { outcome: 'rolled', changed: changed.at(-1)!.hour };
      }
      return { outcome: await rollNext(manager, step, rolledUntil) };
    });
  }

  /** Deletes all figures that can be computed again. Until they are written, readers sum up generations. */
  async forget(): Promise<void> {
    await this.inTransaction(async (manager) => {
      await waitForLock(manager, 'figures');
      await manager.query('DELETE FROM generation_figures WHERE NOT is_kept');
      // Weeks with kept days are written here: their generations are dropped, so no later change writes them.
      const weeks = await manager.query<{ at: Date }[]>(
        `SELECT DISTINCT date_trunc('week', at, 'UTC') AS at FROM generation_figures WHERE is_kept`,
      );
      await writeSums(
        manager,
        weeks.map(({ at }) => at),
        sumSpans('week', '$1::timestamptz[]'),
      );
      await manager.query('DELETE FROM figure_changes');
      await manager.query('UPDATE figure_progress SET rolled_until = NULL');
    });
  }

  private inTransaction<T>(act: (manager: EntityManager) => Promise<T>): Promise<T> {
    // Each statement has its own snapshot, and changes are read before rows: at worst an hour is written again.
    return this.database.transaction('READ COMMITTED', async (manager) =>
      withoutTimeout(await manager.queryRunner?.connect(), async () => {
        await manager.query(`SET LOCAL statement_timeout = 0`);
        await manager.query(`SET LOCAL jit = off`);
        return act(manager);
      }),
    );
  }
}

/**
 * Makes the figures of a month permanent, before its rows are dropped. Its partition is locked against writes, and no
 * hold of it is left.
 */
export async function keepFigures(manager: EntityManager, first: Date, next: Date): Promise<void> {
  await waitForLock(manager, 'figures');
  const rolledUntil = await readProgress(manager);
  const changed = await manager.query<ChangedHour[]>(
    `SELECT hour, changes FROM figure_changes WHERE hour >= $1 AND hour < $2`,
    [first, next],
  );
  const missing: ChangedHour[] = [];
  for (let time = Math.max(first.getTime(), rolledUntil.getTime()); time < next.getTime(); time += HOUR_MS)
    missing.push({ hour: new Date(time), changes: '0' });
  const until = new Date(Math.max(next.getTime(), rolledUntil.getTime()));
  await writeHours(manager, [...changed, ...missing], rolledUntil, until);
  await manager.query(
    `UPDATE generation_figures SET is_kept = true WHERE at >= $1 AND at < $2 AND span <> 'week' AND NOT is_kept`,
    [first, next],
  );
}

/** End of the hours that have figures. */
async function readProgress(manager: EntityManager): Promise<Date> {
  const [row] = await manager.query<Progress[]>('SELECT rolled_until FROM figure_progress');
  return row?.rolled_until ?? new Date(0);
}

const listChanged = (
  manager: EntityManager,
  { after, hoursMax }: RollStep,
  rolledUntil: Date,
): Promise<readonly ChangedHour[]> =>
  manager.query<ChangedHour[]>(
    `SELECT hour, changes FROM figure_changes WHERE hour > $1 AND hour < $2 ORDER BY hour LIMIT ${hoursMax}`,
    [after, rolledUntil],
  );

/** The next hours that have rows; those without are skipped. */
async function rollNext(
  manager: EntityManager,
  { announced, hoursMax }: RollStep,
  rolledUntil: Date,
): Promise<RollOutcome> {
  if (rolledUntil >= announced) return 'done';
  const [row] = await manager.query<{ next: Date | null }[]>(
    `SELECT date_trunc('hour', min(first.held_at), 'UTC') AS next FROM accounts a CROSS JOIN LATERAL (
       SELECT g.held_at FROM generations g WHERE g.account_id = a.id AND g.held_at >= $1 ORDER BY g.held_at LIMIT 1
     ) AS first`,
    [rolledUntil],
  );
  const next = row?.next && row.next < announced ? row.next.getTime() : announced.getTime();
  const until = Math.min(announced.getTime(), next + hoursMax * HOUR_MS);
  const times = Array.from({ length: (until - next) / HOUR_MS }, (_, index) => new Date(next + index * HOUR_MS));
  const noted = await manager.query<ChangedHour[]>('SELECT hour, changes FROM figure_changes WHERE hour = ANY($1)', [
    times,
  ]);
  const changesOf = new Map(noted.map(({ hour, changes }) => [hour.getTime(), changes]));
  const hours = times.map((hour) => ({ hour, changes: changesOf.get(hour.getTime()) ?? '0' }));
  await writeHours(manager, hours, rolledUntil, new Date(until));
  return until === announced.getTime() ? 'done' : 'rolled';
}

/**
 * Replaces the figures of these hours, and of the days and weeks that they complete.
 * @param hours with the number of changes that was read before; a change noted since stays noted
 */
async function writeHours(
  manager: EntityManager,
  hours: readonly ChangedHour[],
  before: Date,
  until: Date,
): Promise<void> {
  const times = hours.map(({ hour }) => hour);
  await replaceRows(manager, 'hour', times, sumHours('$1::timestamptz[]'));
  const written = [...times.filter((hour) => hour < until), before];
  for (const [span, { startOf, lengthMs }] of Object.entries(COMPLETED_SPANS) as [LongSpan, CompletedSpan][]) {
    const starts = new Set(written.map((time) => startOf(time.getTime())));
    const whole = Array.from(starts, (start) => new Date(start)).filter(
      (start) => start.getTime() + lengthMs <= until.getTime(),
    );
    await replaceRows(manager, span, whole, sumSpans(span, '$1::timestamptz[]'));
  }
  // Last, because postings wait for it.
  await manager.query(
    `DELETE FROM figure_changes c USING unnest($1::timestamptz[], $2::bigint[]) AS seen (hour, changes)
     WHERE c.hour = seen.hour AND c.changes = seen.changes`,
    [times, hours.map(({ changes }) => changes)],
  );
  if (until > before) {
    await manager.query(
      `INSERT INTO figure_progress AS p (rolled_until, marked_until) VALUES ($1, $1)
       ON CONFLICT (id) DO UPDATE SET rolled_until = $1, marked_until = greatest(p.marked_until, $1)`,
      [until],
    );
  }
}

async function replaceRows(
  manager: EntityManager,
  span: 'hour' | LongSpan,
  times: readonly Date[],
  sums: string,
): Promise<void> {
  if (times.length === 0) return;
  await manager.query(
    `DELETE FROM generation_figures WHERE at = ANY($1::timestamptz[]) AND span = '${span}' AND NOT is_kept`,
    [times],
  );
  await writeSums(manager, times, sums);
}

async function writeSums(manager: EntityManager, times: readonly Date[], sums: string): Promise<void> {
  await manager.query(
    `INSERT INTO generation_figures (id, ${SUMMED_COLUMNS}) SELECT gen_random_uuid(), sums.* FROM (${sums}) AS sums`,
    [times],
  );
}

interface CompletedSpan {
  readonly startOf: (time: number) => number;
  readonly lengthMs: number;
}

/** Days before weeks, which are summed up from them. */
const COMPLETED_SPANS: Readonly<Record<LongSpan, CompletedSpan>> = {
  day: { startOf: (time) => Math.floor(time / DAY_MS) * DAY_MS, lengthMs: DAY_MS },
  week: { startOf: startOfWeek, lengthMs: 7 * DAY_MS },
};
