import process from 'node:process';
import NativeEnvironment from './native-environment.mjs';
import { closeDatabase, emptyDatabase, loadEngine, migratedDatabase } from './worker-database.mjs';

/** What a worker keeps from one file to the next, by name. */
const kept = new Map();

/** How many resources of each kind held the worker up before the file, and after which file there were more. */
let openBefore = countOpen();
const leftBy = new Map();
/** A part of `workerGracefulExitTimeout`. */
const TELL_AFTER_MS = 7_000;

// jest stops listening when it tells a worker to end. One that has nothing left to do then ends at once: Node would
// first take its heap apart. One that something still holds up is killed in the end: whatever a suite or the program
// left open. It says before what that is, and which file left it.
process.on('removeListener', (event) => {
  if (event !== 'message' || process.listenerCount('message') > 0) return;
  process.once('beforeExit', () => process.exit());
  void closeDatabase();
  setTimeout(() => {
    const open = [...countOpen()].map(([kind, count]) => `${count} ${kind} ${leftBy.get(kind) ?? ''}`);
    process.stderr.write(`What holds a worker up: ${open.join(', ')}\n`);
  }, TELL_AFTER_MS).unref();
});

/** By the kinds that Node names: sockets, servers, children, threads, timers. */
function countOpen() {
  const counts = new Map();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

function noteOpen(testPath) {
  const open = countOpen();
  for (const [kind, count] of open) if (count > (openBefore.get(kind) ?? 0)) leftBy.set(kind, `(after ${testPath})`);
  openBefore = open;
}

/**
 * The world of an integration test file: beside what every file has, the embedded database that is made once a worker.
 *
 * Globals: `__SERVICES__` (addresses of the servers that answer, or null), `__ENGINE__` (the engine's modules),
 * `__MIGRATED__()` and `__EMPTY__()` (the worker's database, with and without the schema), `__KEPT__` (what is made
 * once a worker).
 */
export default class IntegrationEnvironment extends NativeEnvironment {
  constructor(config, context) {
    super(config, context);
    this.testPath = context.testPath;
  }

  async setup() {
    globalThis.__SERVICES__ = JSON.parse(process.env['FAIRLEAD_TEST_SERVICES']);
    globalThis.__ENGINE__ = loadEngine;
    globalThis.__MIGRATED__ = migratedDatabase;
    globalThis.__EMPTY__ = emptyDatabase;
    globalThis.__KEPT__ = kept;
    await super.setup();
  }

  async teardown() {
    await super.teardown();
    noteOpen(this.testPath);
  }
}
