import asyncHooks from 'node:async_hooks';
import vm from 'node:vm';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Represents the context in which Node itself runs, for which Node has no object. */
const MAIN = Object.freeze({});

/**
 * Test files run in the context of the modules that Node has loaded, so that both have the same `Error` and `Array`.
 * jest requests a context from an environment and compiles in it; without one, Node compiles in its own.
 */
const { compileFunction } = vm;
vm.compileFunction = (code, parameters, { parsingContext, ...options } = {}) =>
  compileFunction(code, parameters, { ...options, ...(parsingContext !== MAIN && { parsingContext }) });

/**
 * jest is loaded again for each file, and creates an AsyncLocalStorage each time. An active one permanently slows down
 * every promise of the process: after fifty files they would take most of the time. Its contents are also retained by
 * everything that was started meanwhile, such as the worker's database: through a stack trace, all modules that jest
 * had loaded for the file. Therefore a storage only gives Node a key, and forgets its value after the file.
 */
const { AsyncLocalStorage } = asyncHooks;
const storages = new Set();
class ForgettingStorage extends AsyncLocalStorage {
  #keys = new AsyncLocalStorage();
  #stores = new WeakMap();

  constructor() {
    super();
    storages.add(this);
  }

  run(store, ...call) {
    return this.#keys.run(this.#keyOf(store), ...call);
  }

  exit(...call) {
    return this.#keys.exit(...call);
  }

  enterWith(store) {
    this.#keys.enterWith(this.#keyOf(store));
  }

  getStore() {
    return this.#stores.get(this.#keys.getStore());
  }

  disable() {
    this.#keys.disable();
    this.#stores = new WeakMap();
  }

  #keyOf(store) {
    const key = {};
    this.#stores.set(key, store);
    return key;
  }
}
// From Node 22 on it is an accessor without a setter.
Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { value: ForgettingStorage });

/** Properties of `process`. Some releases of Node 20 lack Node 22's `getBuiltinModule`. */
const REPLACED_BY_JEST = ['exit', 'getBuiltinModule'];

/**
 * jest-circus stores the handlers of a file's events and its tests as properties of the global object, which survives
 * here: all modules that jest has loaded for the file would stay in memory, and each event would reach the handlers of
 * every earlier file.
 */
const KEPT_BY_CIRCUS = new Set(['EVENT_HANDLERS', 'JEST_STATE_SYMBOL']);

/** An environment without a separate context. Global state that a test file changes is restored after it. */
export class MainContextEnvironment {
  global = globalThis;
  /** jest's older timers, which are unused here. */
  fakeTimers = null;

  constructor({ projectConfig }) {
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.variables = { ...process.env };
    // jest replaces these for each file without restoring them.
    this.console = globalThis.console;
    this.ofProcess = REPLACED_BY_JEST.map((name) => [name, Object.getOwnPropertyDescriptor(process, name)]);
  }

  async setup() {}

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    // A later use enables it again.
    for (const storage of storages) storage.disable();
    this.fakeTimersModern.dispose();
    for (const [name, before] of this.ofProcess) if (before) Object.defineProperty(process, name, before);
    globalThis.console = this.console;
    for (const key of Object.getOwnPropertySymbols(globalThis)) {
      if (KEPT_BY_CIRCUS.has(key.description)) delete globalThis[key];
    }
    restoreVariables(this.variables);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return MAIN;
  }
}

function restoreVariables(before) {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
}
