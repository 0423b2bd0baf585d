import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openMigrated } from '../../src/shared/database/database.module.js';
import { DirectoryOpener } from '../../src/shared/database/embedded.js';
import { databaseOptions } from '../../src/shared/database/options.js';

/**
 * Makes a data directory with a migrated embedded database that has no row. Only tests of what a first start does make
 * the database themselves: that takes some eight seconds of computing, a copy a tenth of one.
 *
 * @param dataDir does not exist, or is empty
 */
export async function copyPreparedStore(dataDir: string): Promise<void> {
  // Beside the compiled sources, whose migrations it has: made once for each state of them.
  const prepared = join(process.env['FAIRLEAD_TEST_SOURCES']!, 'prepared-store');
  if (!existsSync(prepared)) await prepare(prepared);
  await cp(prepared, dataDir, { recursive: true });
}

async function prepare(target: string): Promise<void> {
  const unfinished = await mkdtemp(`${target}-`);
  const embedded = await new DirectoryOpener().open(unfinished);
  const source = await openMigrated(databaseOptions({ databasePool: 1 }, embedded));
  await source.destroy();
  // Another worker may have made it meanwhile.
  await rename(unfinished, target).catch(() => rm(unfinished, { recursive: true }));
}
