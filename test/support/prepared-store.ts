import { cp, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openMigrated } from '../../src/shared/database/database.module.js';
import { DirectoryOpener } from '../../src/shared/database/embedded.js';
import { databaseOptions } from '../../src/shared/database/options.js';

const NAME = 'prepared-store';
/** A store under construction: the release of the engine, the process that makes it, and the suffix of `mkdtemp`. */
const UNFINISHED = new RegExp(`^${NAME}-.+-(\\d+)-\\w{6}$`);
/** Codes of `rename` where another worker was faster. */
const IS_THERE: ReadonlySet<unknown> = new Set(['EEXIST', 'ENOTEMPTY']);

/**
 * Creates a data directory with a migrated, empty embedded database. Only tests of a first start create the database
 * themselves: that takes some eight seconds of computing, a copy a tenth of one.
 * @param dataDir does not exist, or is empty
 */
export async function copyPreparedStore(dataDir: string): Promise<void> {
  // Next to the compiled sources, whose migrations it has: created once for each state of them and release of the
  // engine.
  const folder = process.env['FAIRLEAD_TEST_SOURCES']!;
  const engine = basename(process.env['FAIRLEAD_TEST_CLUSTER']!, '.tar');
  const prepared = join(folder, `${NAME}-${engine}`);
  await removeAbandoned(folder);
  if (!existsSync(prepared)) await prepare(prepared);
  await cp(prepared, dataDir, { recursive: true });
}

async function prepare(target: string): Promise<void> {
  const unfinished = await mkdtemp(`${target}-${process.pid}-`);
  try {
    const embedded = await new DirectoryOpener().open(unfinished);
    const source = await openMigrated(databaseOptions({ databasePool: 1 }, embedded));
    await source.destroy();
    await rename(unfinished, target).catch((error: NodeJS.ErrnoException) => {
      if (!IS_THERE.has(error.code)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Removes stores that workers were creating when they were killed. */
async function removeAbandoned(folder: string): Promise<void> {
  const abandoned = (await readdir(folder)).filter((name) => {
    const maker = UNFINISHED.exec(name)?.[1];
    return maker !== undefined && !isAlive(Number(maker));
  });
  await Promise.all(abandoned.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
