// Run by `global-setup.mjs` in a separate process, because jest transforms modules that its own process loads:
// `node prepare-databases.mjs <compiled sources> <file of the cluster> [URL of the template]`.
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [sources, clusterFile, templateUrl] = process.argv.slice(2);
await Promise.all([makeCluster(), templateUrl && migrateTemplate()]);
process.exit();

/**
 * An embedded database cluster without tables, from which workers start: creating one takes five times as long as
 * unpacking it.
 */
async function makeCluster() {
  if (existsSync(clusterFile)) return;
  const { PGlite } = await import('@electric-sql/pglite');
  const pglite = await PGlite.create();
  const dump = await pglite.dumpDataDir('none');
  await mkdir(dirname(clusterFile), { recursive: true });
  const unfinished = `${clusterFile}-${process.pid}`;
  await writeFile(unfinished, Buffer.from(await dump.arrayBuffer()));
  await rename(unfinished, clusterFile);
}

async function migrateTemplate() {
  const load = (path) => import(pathToFileURL(join(sources, 'src', path)).href);
  const [{ openMigrated }, { databaseOptions }, { Secret }] = await Promise.all([
    load('shared/database/database.module.js'),
    load('shared/database/options.js'),
    load('core/secret.js'),
  ]);
  const dataSource = await openMigrated(databaseOptions({ databaseUrl: new Secret(templateUrl), databasePool: 1 }));
  await dataSource.destroy();
}
