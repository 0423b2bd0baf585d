import process from 'node:process';
import { clearTimeout, setTimeout } from 'node:timers';
import { TestEnvironment } from 'jest-environment-node';

/**
 * The world of an integration test file. The embedded database is made here, outside the sandbox, because it imports itself
 * in a way the sandbox cannot; once per worker process, at its first use, because making it takes seconds.
 *
 * Globals: `__SERVICES__` (addresses of the servers that answer, or null), `__ENGINE__` (the engine's modules),
 * `__PGLITE__()` (the worker's database, emptied by each call).
 */
export default class IntegrationEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.__SERVICES__ = JSON.parse(process.env['FAIRLEAD_TEST_SERVICES'] ?? '{"postgres":null,"redis":null}');
    this.global.__ENGINE__ = loadEngine;
    this.global.__PGLITE__ = emptyDatabase;
    clearTimeout(closing);
  }

  async teardown() {
    await super.teardown();
    // The engine's own timers would hold the worker up for ten seconds. Whether another file follows shows at once.
    closing = setTimeout(() => void closeDatabase(), NEXT_FILE_MS_MAX);
  }
}

/** Well under the half second after which jest kills a worker that was told to end. */
const NEXT_FILE_MS_MAX = 200;

let database;
let closing;

async function loadEngine() {
  const [{ PGlite }, { createPgConfig }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite/node-postgres'),
  ]);
  return { PGlite, createPgConfig };
}

async function emptyDatabase() {
  database ??= loadEngine().then(({ PGlite }) =>
    PGlite.create({ startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'] }),
  );
  const pglite = await database;
  // The file before may have left a transaction open, or settings changed.
  await pglite.exec('rollback');
  await pglite.exec('discard all');
  await pglite.exec('drop schema if exists public cascade; create schema public');
  return pglite;
}

async function closeDatabase() {
  const unused = database;
  database = undefined;
  await (await unused)?.close();
}
