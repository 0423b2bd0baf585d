import asyncHooks from 'node:async_hooks';
import vm from 'node:vm';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Stands for the context in which Node itself runs, of which Node has no object. */
const MAIN = Object.freeze({});

/**
 * Test files run where the modules that Node has loaded run, so that both mean the same by `Error` and `Array`. jest
 * asks an
 * environment for its context and compiles in it; without one, Node compiles in its own.
 */
const { compileFunction } = vm;
vm.compileFunction = (code, parameters, { parsingContext, ...options } = {}) =>
  compileFunction(code, parameters, { ...options, ...(parsingContext !== MAIN && { parsingContext }) });

/**
 * jest is loaded anew for each file, and makes a storage each time. One that is in use costs every promise of the
 * process, for ever:
 * after fifty files they would take most of the time.
 */
const { AsyncLocalStorage } = asyncHooks;
const storages = new Set();
asyncHooks.AsyncLocalStorage = class extends AsyncLocalStorage {
  constructor(...options) {
    super(...options);
    storages.add(this);
  }
};

/** An environment without a world of its own. What a test file leaves behind is put back after it. */
export class MainContextEnvironment {
  global = globalThis;
  /** jest's older timers, which nothing here uses. */
  fakeTimers = null;

  constructor({ projectConfig }) {
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.variables = { ...process.env };
    // jest replaces these two for each file, and leaves them so.
    this.replaced = { console: globalThis.console, exit: Object.getOwnPropertyDescriptor(process, 'exit') };
  }

  async setup() {}

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    // Whoever uses one again turns it on again.
    for (const storage of storages) storage.disable();
    storages.clear();
    this.fakeTimersModern.dispose();
    Object.defineProperty(process, 'exit', this.replaced.exit);
    globalThis.console = this.replaced.console;
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
