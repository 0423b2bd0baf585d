import { setTimeout } from 'node:timers/promises';
import { Global, Logger, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Environment } from '../environment.js';
import { BackupPort } from './backup/backup-port.js';
import { databaseAddress } from './database-address.js';
import { DatabaseHealth } from './database-health.js';
import { isDatabaseUnavailable } from './database-unavailable.js';
import { DirectoryOpener, EmbeddedOpener, SLOW_START_MS } from './embedded.js';
import { EngineLife } from './engine-life.js';
import { ExpiringRows } from './expiring-rows.js';
import { migrate } from './migrate.js';
import { asRefusedMigration, missingRightMessage } from './missing-right.js';
import { databaseOptions } from './options.js';
import { Statements } from './statements.js';
import { StoreMaintenance } from './store-maintenance.js';
import { StoreRefused } from './store-refused.js';
import { systemCode } from './system-code.js';
import { WatchedClient } from './watched-client.js';

/** With the pause, half a minute: long enough for a database that starts together with the gateway. */
const CONNECT_ATTEMPTS_MAX = 15;
const CONNECT_PAUSE_MS = 2_000;
/** SQLSTATE: invalid user name or password, or no such database. */
const NO_ENTRY = /^(?:28...|3D000)$/;

/**
 * The store, open and migrated before any request is served, closed after everything else. Environment and Clock must
 * come from a global module. Writers at shutdown must finish before `onApplicationShutdown`.
 */
@Global()
@Module({})
export class DatabaseModule {
  /** @param opener opens the embedded database when no DATABASE_URL is set */
  static register(opener: EmbeddedOpener = new DirectoryOpener(undefined, SLOW_START_MS)): DynamicModule {
    // One for both: TypeORM's module has providers of its own.
    const life = { provide: EngineLife, useValue: new EngineLife() };
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [Environment, EmbeddedOpener, EngineLife],
          extraProviders: [{ provide: EmbeddedOpener, useValue: opener }, life],
          useFactory: storeOptions,
          dataSourceFactory: openPatiently,
        }),
      ],
      providers: [BackupPort, DatabaseHealth, ExpiringRows, Statements, StoreMaintenance, life],
      exports: [DatabaseHealth, EngineLife, ExpiringRows, Statements],
    };
  }
}

async function storeOptions(
  environment: Environment,
  opener: EmbeddedOpener,
  life: EngineLife,
): Promise<TypeOrmModuleOptions> {
  const embedded = environment.databaseUrl === undefined ? await opener.open(environment.dataDir, life) : undefined;
  const options = databaseOptions(environment, embedded);
  return {
    ...options,
    ...(!embedded && { extra: { ...options.extra, Client: WatchedClient } }),
    autoLoadEntities: true,
    // `openPatiently` waits instead, and logs that once.
    toRetry: () => false,
  };
}

/**
 * Waits for a server that does not answer yet. The embedded database is closed by its first failure, which is
 * permanent.
 * @throws StoreRefused where the server stays unreachable, or refuses the credentials of this URL
 */
async function openPatiently(options?: DataSourceOptions): Promise<DataSource> {
  const url = serverOf(options);
  for (let attempt = 1; ; attempt++) {
    try {
      return await openMigrated(options);
    } catch (error) {
      if (url === undefined) throw error;
      const reason = `DATABASE_URL names ${databaseAddress(url)}`;
      if (NO_ENTRY.test(systemCode(error) ?? '')) throw new StoreRefused(`${reason}: ${(error as Error).message}`);
      const missing = missingRightMessage(error, url);
      if (missing !== undefined) throw new StoreRefused(missing);
      if (!isDatabaseUnavailable(error)) throw error;
      // Without a code it is the driver's own, such as a time-out: a busy machine may cause it as well.
      const failure = systemCode(error) ?? (error as Error).message;
      if (attempt === CONNECT_ATTEMPTS_MAX) {
        throw new StoreRefused(`${reason}, which could not be used in ${CONNECT_ATTEMPTS_MAX} attempts (${failure}).`);
      }
      if (attempt === 1)
        new Logger('Database').warn(`${reason}, which cannot be used yet (${failure}). The start waits for it.`);
      await setTimeout(CONNECT_PAUSE_MS);
    }
  }
}

/** The URL of the server; undefined: the database is embedded. */
const serverOf = (options: DataSourceOptions | undefined): string | undefined =>
  (options?.extra as { readonly connectionString?: string } | undefined)?.connectionString;

/**
 * Opens a DataSource and brings its schema up to date; closes it again when either fails.
 * @throws StoreRefused where its role lacks a right: the message names the GRANT
 */
export async function openMigrated(options?: DataSourceOptions): Promise<DataSource> {
  if (options === undefined) throw new Error('The DataSource has no options.');
  const dataSource = await new DataSource(options).initialize();
  try {
    await migrate(dataSource);
  } catch (error) {
    const reported = await asRefusedMigration(error, dataSource);
    await dataSource.destroy();
    throw reported;
  }
  return dataSource;
}
