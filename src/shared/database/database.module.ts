import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Environment } from '../environment.js';
import { DatabaseHealth } from './database-health.js';
import { isDatabaseUnavailable } from './database-unavailable.js';
import { DirectoryOpener, EmbeddedOpener } from './embedded.js';
import { migrate } from './migrate.js';
import { databaseOptions } from './options.js';
import { Statements } from './statements.js';
import { WatchedClient } from './watched-client.js';

/** With the pause, half a minute: long enough for a database that starts together with the gateway. */
const CONNECT_ATTEMPTS_MAX = 15;
const CONNECT_PAUSE_MS = 2_000;

/**
 * The store, open and migrated before anything is served, closed after everything else. Environment and Clock must come
 * from a global module. Whatever still writes at shutdown must do so before `onApplicationShutdown`.
 */
@Global()
@Module({})
export class DatabaseModule {
  /** @param opener opens the embedded database when no DATABASE_URL is set */
  static register(opener: EmbeddedOpener = new DirectoryOpener()): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [Environment, EmbeddedOpener],
          extraProviders: [{ provide: EmbeddedOpener, useValue: opener }],
          useFactory: storeOptions,
          dataSourceFactory: openMigrated,
        }),
      ],
      providers: [DatabaseHealth, Statements],
      exports: [DatabaseHealth, Statements],
    };
  }
}

async function storeOptions(environment: Environment, opener: EmbeddedOpener): Promise<TypeOrmModuleOptions> {
  const embedded = environment.databaseUrl === undefined ? await opener.open(environment.dataDir) : undefined;
  const options = databaseOptions(environment, embedded);
  return {
    ...options,
    ...(!embedded && { extra: { ...options.extra, Client: WatchedClient } }),
    autoLoadEntities: true,
    retryAttempts: CONNECT_ATTEMPTS_MAX,
    retryDelay: CONNECT_PAUSE_MS,
    // The embedded database is closed by its first failure, and failed for a reason that stays.
    toRetry: (error) => embedded === undefined && isDatabaseUnavailable(error),
  };
}

/** Opens a DataSource and brings its schema up to date; closes it again when either fails. */
export async function openMigrated(options?: DataSourceOptions): Promise<DataSource> {
  if (options === undefined) throw new Error('The DataSource has no options.');
  const dataSource = await new DataSource(options).initialize();
  try {
    await migrate(dataSource);
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
  return dataSource;
}
