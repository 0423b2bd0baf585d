import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const { default: run } = require('jest-circus/runner');
const FRAMEWORK = join(dirname(require.resolve('jest-circus/runner')), 'jestAdapterInit.js');

/** Defines `test`, `describe` and `expect`, and runs them; loaded with the worker's first test file. */
let framework;
/** The listeners of a file's events: those of jest-circus itself, followed by those of the file. */
let handlers;
let ownHandlers;
/** The key under which the framework stores the tests of a file. */
let stateKey;

/**
 * jest-circus with its modules evaluated once per worker. jest itself evaluates them again for each test file, which
 * took a tenth of the unit ring's computing time. They can be reused because test files run in the main context, where
 * Node loads them as well. State that a file leaves in them is removed after it.
 */
export default function runWarm(globalConfig, projectConfig, environment, runtime, testPath) {
  const load = runtime.requireInternalModule.bind(runtime);
  runtime.requireInternalModule = (from, name) =>
    from === FRAMEWORK && name === undefined ? freshFramework() : load(from, name);
  // Without a message channel: two messages per test, which no reporter here reads, took a twentieth of the time. Not
  // awaited: a frame of this function would end the stack of each failure, and be what jest shows for some.
  return run(globalConfig, projectConfig, environment, runtime, testPath).finally(() => {
    if (handlers !== undefined) handlers.length = ownHandlers;
    // `jest.setTimeout` writes it, and the next file of the worker would have the time-out of this one.
    delete globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')];
  });
}

function freshFramework() {
  if (framework === undefined) {
    framework = require(FRAMEWORK);
    handlers = globalThis[Symbol.for('EVENT_HANDLERS')];
    ownHandlers = handlers.length;
    stateKey = Object.getOwnPropertySymbols(globalThis).find(({ description }) => description === 'JEST_STATE_SYMBOL');
  } else {
    // The framework does not export its own state module. This copy of it has another key.
    const { getState, resetState } = require('jest-circus');
    resetState();
    globalThis[stateKey] = getState();
  }
  return framework;
}
