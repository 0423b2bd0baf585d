import process from 'node:process';
import NativeEnvironment from './native-environment.mjs';
import { onWorkerEnd } from './worker-end.mjs';
import { closeDatabase, emptyDatabase, loadEngine, migratedDatabase } from './worker-database.mjs';

/** State that a worker keeps from one file to the next, by name. */
const kept = new Map();

onWorkerEnd(closeDatabase);

/**
 * The environment of an integration test file: in addition to the common one, the embedded database that is created
 * once per worker.
 * Globals: `__SERVICES__` (addresses of the servers that answer, or null), `__ENGINE__` (the engine's modules),
 * `__MIGRATED__()` and `__EMPTY__()` (the worker's database, with and without the schema), `__KEPT__` (state that is
 * created once per worker).
 */
export default class IntegrationEnvironment extends NativeEnvironment {
  async setup() {
    globalThis.__SERVICES__ = JSON.parse(process.env['FAIRLEAD_TEST_SERVICES']);
    globalThis.__ENGINE__ = loadEngine;
    globalThis.__MIGRATED__ = migratedDatabase;
    globalThis.__EMPTY__ = emptyDatabase;
    globalThis.__KEPT__ = kept;
    await super.setup();
  }
}
