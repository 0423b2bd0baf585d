import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { MainContextEnvironment } from './main-context.mjs';
import { closeDatabase, emptyDatabase, loadEngine, migratedDatabase } from './worker-database.mjs';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PACKAGES = join(ROOT, 'node_modules');
const require = createRequire(import.meta.url);
/** What a worker keeps from one file to the next, by name. */
const kept = new Map();

// jest stops listening when it tells a worker to end. One that has nothing left to do then ends at once: Node would
// first take its heap apart. One that something still holds up is killed in the end, and told of: whatever a suite or
// the program left open.
process.on('removeListener', (event) => {
  if (event !== 'message' || process.listenerCount('message') > 0) return;
  process.once('beforeExit', () => process.exit());
  void closeDatabase();
});

/**
 * The world of an integration test file: the main context of its worker. The application and its packages are loaded
 * once a
 * worker, by Node itself, from the sources that `global-setup.mjs` has compiled; only the test file and `test/support`
 * are
 * jest's. The embedded database is made once a worker too.
 *
 * Globals: `__LOAD__` (what imports of sources and packages become), `__SERVICES__` (addresses of the servers that
 * answer, or
 * null), `__ENGINE__` (the engine's modules), `__MIGRATED__()` and `__EMPTY__()` (the worker's database, with and
 * without the
 * schema), `__KEPT__` (what is made once a worker).
 */
export default class IntegrationEnvironment extends MainContextEnvironment {
  async setup() {
    await super.setup();
    globalThis.__LOAD__ = load;
    globalThis.__SERVICES__ = JSON.parse(process.env['FAIRLEAD_TEST_SERVICES']);
    globalThis.__ENGINE__ = loadEngine;
    globalThis.__MIGRATED__ = migratedDatabase;
    globalThis.__EMPTY__ = emptyDatabase;
    globalThis.__KEPT__ = kept;
    // Packages that require one another in a circle want to be imported first, as the program does it.
    await import(pathToFileURL(compiledPath(join(ROOT, 'src/app.ts'))).href);
  }

  async teardown() {
    await super.teardown();
    delete globalThis.__LOAD__;
  }
}

function load(path) {
  return require(path.startsWith(PACKAGES) ? path : compiledPath(path));
}

function compiledPath(path) {
  return join(process.env['FAIRLEAD_TEST_SOURCES'], relative(ROOT, path).replace(/\.ts$/, '.js'));
}
