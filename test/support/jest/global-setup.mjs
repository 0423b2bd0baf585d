import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { compileSources } from './compile-sources.mjs';
import { findServices } from './find-services.mjs';
import { runOnPostgres } from './run-on-postgres.mjs';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PREPARE = join(import.meta.dirname, 'prepare-databases.mjs');
const PREPARE_MS_MAX = 120_000;

/**
 * Once per run of the rings that start the application: compiles the sources and makes the databases that test files
 * start from. Worker processes inherit only variables.
 */
export default async function setUp() {
  const [services, sources, cluster] = await Promise.all([findServices(), compileSources(ROOT), clusterFile()]);
  const template = services.postgres === null ? null : `fairlead_template_${randomBytes(6).toString('hex')}`;
  const arguments_ = [PREPARE, sources, cluster];
  if (template !== null) {
    await runOnPostgres(services.postgres, `create database ${template}`);
    const url = new URL(services.postgres);
    url.pathname = `/${template}`;
    arguments_.push(url.href);
  }
  await promisify(execFile)(process.execPath, arguments_, { timeout: PREPARE_MS_MAX });
  process.env['FAIRLEAD_TEST_SERVICES'] = JSON.stringify({ ...services, template });
  process.env['FAIRLEAD_TEST_SOURCES'] = sources;
  process.env['FAIRLEAD_TEST_CLUSTER'] = cluster;
}

/** Absolute path of the engine's cluster, one for each release of the engine. */
async function clusterFile() {
  const { version } = JSON.parse(
    await readFile(join(ROOT, 'node_modules', '@electric-sql', 'pglite', 'package.json'), 'utf8'),
  );
  return join(ROOT, 'node_modules', '.cache', 'embedded-clusters', `${version}.tar`);
}
