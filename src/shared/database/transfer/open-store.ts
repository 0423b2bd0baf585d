import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { DataSource, type MigrationInterface } from 'typeorm';
import type { Environment } from '../../environment.js';
import { DirectoryOpener, type EmbeddedOpener } from '../embedded.js';
import { databaseOptions } from '../options.js';
import { StoreRefused } from '../store-refused.js';

export type StoreLocation = Pick<Environment, 'databaseUrl' | 'dataDir'>;

/**
 * Opens the store that a gateway with these settings would use, on one connection, without migrating it. The caller
 * destroys it.
 * @throws StoreRefused when a gateway has the embedded database open
 */
export async function openStore(
  location: StoreLocation,
  migrations: readonly (new () => MigrationInterface)[],
  opener: EmbeddedOpener = new DirectoryOpener(),
): Promise<DataSource> {
  const embedded = location.databaseUrl === undefined ? await opener.open(location.dataDir) : undefined;
  const options = databaseOptions({ ...location, databasePool: 1 }, embedded);
  return new DataSource({ ...options, migrations: [...migrations] }).initialize();
}

/** Opening a missing embedded database would create it. */
export async function assertStoreExists({ databaseUrl, dataDir }: StoreLocation): Promise<void> {
  if (databaseUrl !== undefined) return;
  try {
    await access(join(dataDir, 'database'));
  } catch {
    throw new StoreRefused(`${dataDir} contains no database. Set DATA_DIR or DATABASE_URL as for the gateway.`);
  }
}
