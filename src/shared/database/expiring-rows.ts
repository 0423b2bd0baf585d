import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock, MINUTE_MS } from '../../core/time.js';
import { RecurringJob } from '../recurring-job.js';
import { Statements } from './statements.js';

/** The newest rows of one owner that keep their contents. Chosen. */
export const NEWEST_MAX = 10_000;
const CLEAR_EVERY_MS = MINUTE_MS;
/** Rows that one statement changes, so that other users of the database get their turn. */
const CLEARED_MAX = 1_000;

/** A table of stored bodies or events. It has the columns `id` and `expires_at`. */
export interface ExpiringTable {
  readonly name: string;
  /** The columns that identify the owner of a row. */
  readonly owner: readonly string[];
  /** The column by which the newest rows of an owner are found. */
  readonly time: string;
  readonly bounds: readonly RowBound[];
  /** Runs before expired rows are removed. @returns whether there may be more to do */
  readonly age?: () => Promise<boolean>;
}

/** A limit of rows for each owner. */
export interface RowBound {
  /** A condition on the row `r`, in SQL; absent: all rows count. */
  readonly counted?: string;
  /** The number of newest rows that stay as they are. */
  readonly newest: number;
  /** Takes the rows past the limit out of the count; absent: they are removed. */
  readonly drop?: (ids: readonly string[]) => Promise<void>;
}

/** Removes rows for other reasons than time and number. @param isEnding whether it has to start nothing more */
export type RemovalRule = (isEnding: () => boolean) => Promise<void>;

/**
 * Removes the rows of stored bodies and events that are past their time, or beyond the limit of their owner. Any number
 * of replicas may do so at once. A replica checks the limits of the owners for which it has added rows.
 */
@Injectable()
export class ExpiringRows implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly tables = new Map<ExpiringTable, Map<string, readonly string[]>>();
  private readonly rules: RemovalRule[] = [];
  private readonly job = new RecurringJob(() => this.clear(), new Logger('Database'));

  constructor(
    private readonly statements: Statements,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.job.start(CLEAR_EVERY_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.job.end();
  }

  /** Clears a table from now on. */
  register(table: ExpiringTable): void {
    this.tables.set(table, new Map());
  }

  /** Applies a rule of another module in each round, before the tables are cleared. */
  addRule(rule: RemovalRule): void {
    this.rules.push(rule);
  }

  /** Must be called after an owner has got a row: its limits are checked in the next round. */
  noteAdded(table: ExpiringTable, owner: readonly string[]): void {
    this.tables.get(table)!.set(owner.join(' '), owner);
  }

  /** Runs by itself every minute. Never throws: a failed round is made up for by the next one. */
  async clearOnce(): Promise<void> {
    await this.job.runAnew();
  }

  /** A failure of one does not keep the others from being cleared. */
  private async clear(): Promise<void> {
    const steps = [
      ...this.rules.map((rule) => () => rule(() => this.job.isEnding)),
      ...Array.from(this.tables.keys(), (table) => () => this.clearTable(table)),
    ];
    const results = [];
    for (const step of steps) results.push(...(await Promise.allSettled([step()])));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  private async clearTable(table: ExpiringTable): Promise<void> {
    if (table.age) await this.repeat(table.age);
    await this.repeat(() => this.removeExpired(table));
    const owners = this.tables.get(table)!;
    for (const [key, owner] of owners) {
      for (const bound of table.bounds) await this.repeat(() => this.dropPast(table, bound, owner));
      // An owner that has got rows meanwhile is noted by another object.
      if (owners.get(key) === owner) owners.delete(key);
    }
  }

  /** Repeats a limited statement until it finds nothing more. */
  private async repeat(work: () => Promise<boolean>): Promise<void> {
    while (!this.job.isEnding && (await work()));
  }

  private async removeExpired({ name }: ExpiringTable): Promise<boolean> {
    const rows = await this.statements.run(
      `DELETE FROM ${name} WHERE id IN (
         SELECT id FROM ${name} WHERE expires_at <= now() + $1 * interval '1 ms'
         LIMIT ${CLEARED_MAX} FOR UPDATE SKIP LOCKED) RETURNING id`,
      [this.clock.aheadMs],
    );
    return rows.length === CLEARED_MAX;
  }

  private async dropPast(
    { name, owner: columns, time }: ExpiringTable,
    { counted = 'true', newest, drop }: RowBound,
    owner: readonly string[],
  ): Promise<boolean> {
    const isOwner = columns.map((column, index) => `r.${column} = $${index + 1}`).join(' AND ');
    const rows = await this.statements.run<{ readonly id: string }>(
      `SELECT r.id FROM ${name} r WHERE ${isOwner} AND (${counted})
       ORDER BY r.${time} DESC, r.id DESC LIMIT ${CLEARED_MAX} OFFSET ${newest}`,
      owner,
    );
    if (rows.length === 0) return false;
    const ids = rows.map(({ id }) => id);
    await (drop ? drop(ids) : this.statements.run(`DELETE FROM ${name} WHERE id = ANY($1::uuid[])`, [ids]));
    return rows.length === CLEARED_MAX;
  }
}
