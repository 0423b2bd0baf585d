import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Cancellation } from '../../core/cancellation.js';
import { GatewayError } from '../../core/errors.js';
import { FairSlots } from '../../shared/queues/fair-slots.js';
import { systemCode } from '../../shared/database/system-code.js';
import { coverRange, type Rolled } from './coverage.js';
import { changedHours } from './figure-sums.js';
import type { FiguresQuery, FiguresRow } from './figures-query.js';
import { countStatement, figuresStatement, widestSpan } from './figures-statement.js';

/** Longest time of one statement on a server, in milliseconds. Chosen. The embedded database has no time limits. */
export const FIGURES_MS_MAX = 8_000;
/** Statements at the same time, of one process: inferences need the other connections. Others wait. Chosen. */
const RUNNING_MAX = 2;
const WAITING_MAX = 100;
const RETRY_AFTER_MS = 5_000;
/** SQLSTATE of a statement that was ended by its time limit. */
const CANCELLED = '57014';

/** The statements that sum up generations. They are slow: an inference must never wait for them. */
@Injectable()
export class FiguresRepository {
  private readonly slots = new FairSlots({
    slots: RUNNING_MAX,
    slotsPerKey: RUNNING_MAX,
    firstSlots: 0,
    waiting: WAITING_MAX,
    waitingPerKey: WAITING_MAX,
    waitMs: FIGURES_MS_MAX,
  });

  constructor(private readonly database: DataSource) {}

  /**
   * Sums up, exactly, what was settled at one moment.
   * @throws GatewayError `request-timed-out`; `rate-limited` where too many wait already
   */
  read(query: FiguresQuery): Promise<readonly FiguresRow[]> {
    return this.run(query, figuresStatement);
  }

  /**
   * How many rows `read` returns, in a part of its time: nothing is summed up.
   * @throws GatewayError as `read`
   */
  async count(query: FiguresQuery): Promise<number> {
    const [row] = await this.run<{ readonly rows: number }>(query, countStatement);
    return row!.rows;
  }

  private async run<Row = FiguresRow>(query: FiguresQuery, print: typeof figuresStatement): Promise<readonly Row[]> {
    const leave = await this.slots.enter(query.accountId, new Cancellation());
    if (!leave) {
      const detail = { retryAfterMs: RETRY_AFTER_MS };
      throw new GatewayError(
        'rate-limited',
        'Too many figures are summed up at the moment; try again shortly.',
        detail,
      );
    }
    try {
      // Reads in one snapshot, in which every change is in the figures of its hour, or names the hour as changed.
      return await this.database.transaction('REPEATABLE READ', (manager) => readWithin<Row>(manager, query, print));
    } catch (error) {
      if (systemCode(error) !== CANCELLED) throw error;
      throw new GatewayError(
        'request-timed-out',
        'The figures could not be summed up in time; give a shorter range, fewer groups, or a filter.',
      );
    } finally {
      leave();
    }
  }
}

async function readWithin<Row>(
  manager: EntityManager,
  query: FiguresQuery,
  print: typeof figuresStatement,
): Promise<readonly Row[]> {
  // For this transaction only. Compiling takes longer than most of these statements, and
  // sorting texts to group by them twice as long as hashing them.
  await manager.query(
    `SELECT set_config('transaction_read_only', 'on', true), set_config('statement_timeout', '${FIGURES_MS_MAX}', true),
       set_config('jit', 'off', true), set_config('work_mem', '32MB', true), set_config('enable_sort', 'off', true)`,
  );
  const coverage = coverRange(query, await readRolled(manager, query), widestSpan(query));
  const { text, values } = print(query, coverage);
  return manager.query<Row[]>(text, values);
}

async function readRolled(manager: EntityManager, { since, until }: FiguresQuery): Promise<Rolled> {
  const [row] = await manager.query<{ until: Date | null; changed: readonly Date[] }[]>(
    `SELECT p.rolled_until AS until, array(
       SELECT hour FROM (${changedHours('p.rolled_until')}) AS changed WHERE hour >= $1::timestamptz - interval '168 hours' AND hour < $2
     ) AS changed
     FROM figure_progress p`,
    [new Date(since).toISOString(), new Date(until).toISOString()],
  );
  return {
    until: row?.until?.getTime() ?? 0,
    changed: new Set(row?.changed.map((hour) => hour.getTime())),
  };
}
