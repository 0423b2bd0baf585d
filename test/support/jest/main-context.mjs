import asyncHooks from 'node:async_hooks';
import vm from 'node:vm';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Stands for the context in which Node itself runs, of which Node has no object. */
const MAIN = Object.freeze({});

/**
 * Test files run where the modules that Node has loaded run, so that both mean the same by `Error` and `Array`. jest
 * asks an environment for its context and compiles in it; without one, Node compiles in its own.
 */
const { compileFunction } = vm;
vm.compileFunction = (code, parameters, { parsingContext, ...options } = {}) =>
  compileFunction(code, parameters, { ...options, ...(parsingContext !== MAIN && { parsingContext }) });

/**
 * jest is loaded anew for each file, and makes a storage each time. One that is in use costs every promise of the
 * process, for ever: after fifty files they would take most of the time. And what it stores is held by all that was
 * begun meanwhile, such as the worker's database: through a stack trace in it, all that jest had loaded for the file.
 * So a storage hands Node a key alone, and forgets what it stands for after the file.
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

/** Of `process`. Of Node 22's `getBuiltinModule`, some releases of Node 20 know nothing. */
const REPLACED_BY_JEST = ['exit', 'getBuiltinModule'];

/**
 * jest-circus keeps the handlers of a file's events and its tests as properties of the global object, which lives on
 * here: through them all that jest has loaded for the file would stay in memory, and each event go to the handlers of
 * every file before.
 */
const KEPT_BY_CIRCUS = new Set(['EVENT_HANDLERS', 'JEST_STATE_SYMBOL']);

/** An environment without a world of its own. What a test file leaves behind is put back after it. */
export class MainContextEnvironment {
  global = globalThis;
  /** jest's older timers, which nothing here uses. */
  fakeTimers = null;

  constructor({ projectConfig }) {
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.variables = { ...process.env };
    // jest replaces these for each file, and leaves them so.
    this.console = globalThis.console;
    this.ofProcess = REPLACED_BY_JEST.map((name) => [name, Object.getOwnPropertyDescriptor(process, name)]);
  }

  async setup() {}

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    // Whoever uses one again turns it on again.
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
