import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { Environment } from '../environment.js';
import { RecurringJob } from '../recurring-job.js';

const LOOK_EVERY_MS = 5_000;

/**
 * Dead rows of a table that are let be: so many, and a fifth of those that live. Half a megabyte of holds, and what is
 * reclaimed at once takes a few milliseconds.
 */
const DEAD_ROWS_MIN = 500;
const DEAD_SHARE = 0.2;
/** The same of what is kept beside its row, in parts of two kilobytes: two pieces of a container. */
const DEAD_PARTS_MIN = 250;
/** Transactions, of two thousand million after which the engine would stop: older rows are marked as for ever there. */
const AGE_MAX = 200_000_000;
/** How much the log may grow before it is begun anew; the next start after a kill reads so much of it at most. */
const LOG_BYTES_MAX = 32 * 1024 * 1024;

interface Untidy {
  /** As it is written in a statement. */
  readonly name: string;
  readonly isOld: boolean;
}

/**
 * Gives space back in the embedded database, whose engine has no processes beside the session: no autovacuum, no
 * checkpointer (docs/decisions/0082-space-and-death-of-the-embedded-database.md). Of a server it does nothing.
 * A statement is about one table, and others have their turn between two of them: the session is everybody's.
 */
@Injectable()
export class StoreUpkeep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Database');
  private readonly job = new RecurringJob(() => this.tidy(), this.logger);

  constructor(
    private readonly environment: Environment,
    private readonly dataSource: DataSource,
  ) {}

  onApplicationBootstrap(): void {
    if (this.environment.databaseUrl === undefined) this.job.start(LOOK_EVERY_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.job.end();
  }

  /** Comes round by itself every five seconds. Never throws: what fails now is done the next time. */
  look(): Promise<void> {
    return this.job.run();
  }

  private async tidy(): Promise<void> {
    const isLogLong = (await this.measureLog()) > LOG_BYTES_MAX;
    const untidy = await this.listUntidy();
    // What stands about all tables at once is read through for each of them otherwise.
    for (const { name } of untidy) await this.run(`VACUUM (SKIP_DATABASE_STATS) ${name}`);
    if (untidy.some(({ isOld }) => isOld)) await this.run('VACUUM (ONLY_DATABASE_STATS)');
    if (isLogLong) await this.run('CHECKPOINT');
  }

  /** Never within a transaction: none of them may be. */
  private async run(statement: string): Promise<void> {
    if (this.job.isEnding) return;
    await this.dataSource.query(statement);
    await yieldToEventLoop();
  }

  private listUntidy(): Promise<Untidy[]> {
    return this.dataSource.query<Untidy[]>(
      `SELECT one.oid::regclass::text AS name, is_old AS "isOld"
       FROM pg_class AS one
       LEFT JOIN pg_class AS beside ON beside.oid = one.reltoastrelid
       CROSS JOIN LATERAL (SELECT greatest(age(one.relfrozenxid), age(beside.relfrozenxid)) > $4 AS is_old) AS times
       WHERE one.relkind IN ('r', 'm') AND (is_old
         OR pg_stat_get_dead_tuples(one.oid) > $1 + $2::float8 * pg_stat_get_live_tuples(one.oid)
         OR pg_stat_get_dead_tuples(beside.oid) > $3)
       ORDER BY 1`,
      [DEAD_ROWS_MIN, DEAD_SHARE, DEAD_PARTS_MIN, AGE_MAX],
    );
  }

  /** Since its last checkpoint, in bytes. Has what died counted as well, which the engine does a second late. */
  private async measureLog(): Promise<number> {
    const [log] = await this.dataSource.query<{ bytes: number }[]>(
      `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 AS bytes, pg_stat_force_next_flush()
       FROM pg_control_checkpoint()`,
    );
    return log!.bytes;
  }
}
