import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { Environment } from '../environment.js';
import { RecurringJob } from '../recurring-job.js';

const LOOK_EVERY_MS = 5_000;

/**
 * Dead rows tolerated in a table: this number, plus a fifth of the live rows. Half a megabyte of holds, which is
 * reclaimed in a few milliseconds.
 */
const DEAD_ROWS_MIN = 500;
const DEAD_SHARE = 0.2;
/** Tolerated dead parts, of 2 KB, of values that are stored outside of their row: two pieces of a container. */
const DEAD_PARTS_MIN = 250;
/** Transactions after which old rows are frozen; the engine would stop at two thousand million. */
const AGE_MAX = 200_000_000;
/** Limit of the log before a checkpoint; the next start after a kill reads at most this much of it. */
const LOG_BYTES_MAX = 32 * 1024 * 1024;

interface BloatedTable {
  /** Name as statements have it, with its schema and quotes where they are needed. */
  readonly name: string;
  readonly isOld: boolean;
}

/**
 * Reclaims space in the embedded database, whose engine has no background processes: no autovacuum, no checkpointer
 * (docs/contribute/decisions/0007-embedded-database.md). Does nothing for a server. A statement covers one
 * table, and other statements run between two of them: all share the one session.
 */
@Injectable()
export class StoreMaintenance implements OnApplicationBootstrap, BeforeApplicationShutdown {
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

  /** Runs every five seconds. Never throws: a failed round is repeated the next time. */
  look(): Promise<void> {
    return this.job.run();
  }

  private async tidy(): Promise<void> {
    const isLogLong = (await this.measureLog()) > LOG_BYTES_MAX;
    const bloated = await this.listBloated();
    // Without the option, statistics over all tables are recomputed for each table.
    for (const { name } of bloated) await this.run(`VACUUM (SKIP_DATABASE_STATS) ${name}`);
    if (bloated.some(({ isOld }) => isOld)) await this.run('VACUUM (ONLY_DATABASE_STATS)');
    if (isLogLong) await this.run('CHECKPOINT');
  }

  /** Never within a transaction: these statements do not allow one. */
  private async run(statement: string): Promise<void> {
    if (this.job.isEnding) return;
    await this.dataSource.query(statement);
    await yieldToEventLoop();
  }

  private listBloated(): Promise<BloatedTable[]> {
    return this.dataSource.query<BloatedTable[]>(
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

  /**
   * Bytes of log since the last checkpoint. Also makes the engine count dead rows, which it otherwise does a second
   * late.
   */
  private async measureLog(): Promise<number> {
    const [log] = await this.dataSource.query<{ bytes: number }[]>(
      `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 AS bytes, pg_stat_force_next_flush()
       FROM pg_control_checkpoint()`,
    );
    return log!.bytes;
  }
}
