import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const escaped = (path) => path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const below = (path) => `^${escaped(join(import.meta.dirname, path))}`;

/** What jest itself loads becomes CommonJS: its native mode for ES modules runs none of it in the main context. */
const swc = [
  '@swc/jest',
  {
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      target: 'es2022',
    },
    module: { type: 'commonjs' },
  },
];

/** What takes long: several replicas, kills, outages, hostile input and commands, a browser, pairs of dialects, a million rows. */
const SLOW = [
  'test/clients/programs.spec.ts',
  'test/console/',
  'test/replicas/',
  'test/hostile/input.spec.ts',
  'test/http/back-pressure.spec.ts',
  'test/http/docs-browser.spec.ts',
  'test/http/idempotency-rate.spec.ts',
  'test/http/operation.spec.ts',
  'test/messages/provider-changes.spec.ts',
  'test/plugins/file-parser-hostile.spec.ts',
  'test/sql/kept-reply-rows.spec.ts',
  'test/tools/bash.spec.ts',
  'test/tools/faults-abort.spec.ts',
  'test/tools/faults-engines.spec.ts',
  'test/tools/faults-kill.spec.ts',
  'test/tools/matrix/',
  'test/tools/faults-money.spec.ts',
].map(below);
/** Attacks that measure the waits of victims: the figures are valid only without other load on the cores. */
const MEASURED = [`${below('test/hostile/')}(?!input)`];

/** Bounds on computing time: the other rings would be measured as well. */
const SPEED = '\\.speed\\.spec\\.ts$';

/** Sources and packages are loaded by Node itself once a worker: docs/contribute/testing.md. */
const shared = {
  testRunner: '<rootDir>/test/support/jest/warm-runner.mjs',
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/bench', '<rootDir>/test/programs/node_modules'],
  transform: {
    '\\.spec\\.ts$': swc,
    [below('test/')]: swc,
    '.': '<rootDir>/test/support/jest/loaded-natively.mjs',
  },
  transformIgnorePatterns: [],
  // Node's own streams read it from the object that the main context has.
  fakeTimers: { doNotFake: ['nextTick'] },
};
const unit = {
  ...shared,
  displayName: 'unit',
  globalSetup: '<rootDir>/test/support/jest/compile-setup.mjs',
  testEnvironment: '<rootDir>/test/support/jest/native-environment.mjs',
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  testPathIgnorePatterns: [SPEED],
};
/** What needs the application, a store or a socket. */
const application = {
  ...shared,
  globalSetup: '<rootDir>/test/support/jest/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.mjs',
  testEnvironment: '<rootDir>/test/support/jest/environment.mjs',
};
const integration = {
  ...application,
  displayName: 'integration',
  testMatch: ['<rootDir>/test/**/*.spec.ts'],
  testPathIgnorePatterns: [...SLOW, ...MEASURED, SPEED],
};
const specsOf = (paths) => paths.map((path) => `${path}.*(?<=\\.spec\\.ts)$`);
const slow = { ...application, displayName: 'slow', testRegex: specsOf(SLOW) };
const speed = { ...application, displayName: 'speed', testRegex: [SPEED] };
const hostile = { ...application, displayName: 'hostile', testRegex: specsOf(MEASURED) };

export default {
  // Generous: a test that waits for an event names the event, and a busy machine is no failure.
  testTimeout: 240_000,
  // As generous: a worker that has nothing left to do ends at once, but a busy machine takes its time over its memory.
  workerGracefulExitTimeout: 10_000,
  // Far above what a worker needs. That it is set keeps test files out of jest's own process, be it one alone: they run
  // in the main context, where timers that a test fakes would be those that jest prints by.
  workerIdleMemoryLimit: '16GB',
  // More than there are cores: the longest suites wait more than they compute.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  testSequencer: '<rootDir>/test/support/jest/longest-first.mjs',
  projects: [unit, integration, slow, speed, hostile],
};
