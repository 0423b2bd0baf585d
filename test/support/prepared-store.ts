import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openMigrated } from '../../src/shared/database/database.module.js';
import { DirectoryOpener } from '../../src/shared/database/embedded.js';
import { databaseOptions } from '../../src/shared/database/options.js';
import { makeSharedFolder } from './shared-folder.js';

/**
 * Creates a data directory with a migrated, empty embedded database. Only tests of a first start create the database
 * themselves: that takes some eight seconds of computing, a copy a tenth of one.
 * @param dataDir does not exist, or is empty
 */
export async function copyPreparedStore(dataDir: string): Promise<void> {
  // Next to the compiled sources, whose migrations it has: created once for each state of them and release of the
  // engine.
  const engine = basename(process.env['FAIRLEAD_TEST_CLUSTER']!, '.tar');
  const prepared = await makeSharedFolder(
    join(process.env['FAIRLEAD_TEST_SOURCES']!, `prepared-store-${engine}`),
    prepare,
  );
  await cp(prepared, dataDir, { recursive: true });
}

async function prepare(unfinished: string): Promise<void> {
  const embedded = await new DirectoryOpener().open(unfinished);
  const source = await openMigrated(databaseOptions({ databasePool: 1 }, embedded));
  await source.destroy();
}
