import { Logger } from '@nestjs/common';
import { AbstractLogger, type DataSourceOptions } from 'typeorm';
import type { Environment } from '../environment.js';
import type { EmbeddedDatabase } from './embedded.js';
import { embeddedDriver } from './embedded-pool.js';
import { MIGRATIONS } from './migrations.js';
import { storeDriver } from './store-driver.js';

/** Milliseconds to wait for a connection, new or free. */
const CONNECT_MS_MAX = 2_000;
/** An idle connection is kept across the pauses of ordinary traffic, and returned to the server at night. */
const IDLE_MS_MAX = 60_000;
const KEEP_ALIVE_AFTER_MS = 10_000;

type Where = Pick<Environment, 'databaseUrl' | 'databasePool'>;
type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/**
 * TypeORM's options for the store: the server of `databaseUrl`, else the embedded database. `numeric` and `bigint` are
 * returned as strings, exactly. No code relies on session state, so connections may go through a transaction pooler.
 */
export function databaseOptions(where: Where, embedded?: EmbeddedDatabase): PostgresOptions {
  const shared: PostgresOptions = {
    type: 'postgres',
    // gen_random_uuid() is part of every server; TypeORM's default needs an extension, and the right to install one.
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    synchronize: false,
    // TypeORM would print to the console, including the parameters of failed statements. Failures are thrown as well.
    logging: false,
    logger: new SilentLogger(),
    migrations: [...MIGRATIONS],
  };

  if (where.databaseUrl === undefined) {
    if (embedded === undefined) throw new Error('Without a database URL, an embedded database must be open.');
    return { ...shared, driver: embeddedDriver(embedded) };
  }
  return {
    ...shared,
    driver: storeDriver(),
    applicationName: 'fairlead',
    poolSize: where.databasePool,
    connectTimeoutMS: CONNECT_MS_MAX,
    // A connection that breaks while idle is replaced at its next use.
    poolErrorHandler: (error: Error) => new Logger('Database').warn(`An idle connection broke: ${error.message}`),
    // The address goes to the driver unchanged: TypeORM's own parser loses sockets and TLS parameters. No statement
    // time-out, because poolers refuse it as a start-up parameter.
    extra: {
      connectionString: where.databaseUrl.reveal(),
      idleTimeoutMillis: IDLE_MS_MAX,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    },
  };
}

/** TypeORM logs migrations regardless of `logging`. */
class SilentLogger extends AbstractLogger {
  protected override writeLog(): void {}
}
