import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { MainContextEnvironment } from './main-context.mjs';
import { noteWhatIsOpen } from './worker-end.mjs';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** Jest gives real paths, and a worktree may link to the packages of another. */
const PACKAGES = realpathSync(join(ROOT, 'node_modules'));
const require = createRequire(import.meta.url);

// As at the start of a gateway: V8 would optimise, beside the tests, thousands of functions that run a few times more.
// That took a third of a worker's CPU time.
require(compiledPath(join(ROOT, 'src/bootstrap/engine-flags.ts')));

/**
 * The main context of a worker, in which sources and packages are loaded once, by Node itself, from the sources that
 * the run's setup has compiled; only the test file and `test/support` are loaded by jest.
 * Globals: `__LOAD__` (replaces imports of sources and packages).
 */
export default class NativeEnvironment extends MainContextEnvironment {
  constructor(config, context) {
    super(config, context);
    this.testPath = context.testPath;
  }

  async setup() {
    await super.setup();
    globalThis.__LOAD__ = load;
    // Packages with circular dependencies must be imported first, as the program does.
    await import(pathToFileURL(compiledPath(join(ROOT, 'src/bootstrap/app.ts'))).href);
  }

  async teardown() {
    await super.teardown();
    delete globalThis.__LOAD__;
    await noteWhatIsOpen(this.testPath);
  }
}

function load(path) {
  return require(path.startsWith(PACKAGES) ? path : compiledPath(path));
}

function compiledPath(path) {
  return join(process.env['FAIRLEAD_TEST_SOURCES'], relative(ROOT, path).replace(/\.ts$/, '.js'));
}
