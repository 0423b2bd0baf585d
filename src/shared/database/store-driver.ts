import pg from 'pg';
import type { DataSource } from 'typeorm';

type PoolClass = new (options: pg.PoolConfig) => pg.Pool;

/** TypeORM's `driver` option: the package `pg`, whose pool is found again by `driverOf`. */
export interface StoreDriver {
  readonly Pool: PoolClass;
  /** Undefined until TypeORM has connected. */
  readonly pool: pg.Pool | undefined;
  readonly isEmbedded: boolean;
}

/** @param embedded the pool of an embedded database; absent: the database is a server */
export function storeDriver(embedded?: PoolClass): StoreDriver {
  const poolClass = embedded ?? pg.Pool;
  const made: { pool?: pg.Pool } = {};
  class StorePool extends poolClass {
    constructor(options: pg.PoolConfig) {
      super(options);
      made.pool = this;
    }
  }
  return Object.create(pg, {
    Pool: { value: StorePool },
    pool: { get: () => made.pool },
    isEmbedded: { value: embedded !== undefined },
  }) as StoreDriver;
}

/** The driver of an open DataSource. @throws Error where its options are not of `databaseOptions` */
export function driverOf({ options }: DataSource): StoreDriver & { readonly pool: pg.Pool } {
  const driver = 'driver' in options ? (options.driver as StoreDriver | undefined) : undefined;
  if (!driver?.pool) throw new Error('The DataSource is not open, or has another driver.');
  return driver as StoreDriver & { readonly pool: pg.Pool };
}
