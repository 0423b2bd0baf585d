import { availableParallelism } from 'node:os';

/** CommonJS mode: Nest 12 and its companions are ES modules, which jest's native mode cannot run; swc rewrites them. */
const shared = {
  testEnvironment: 'node',
  transform: {
    '^.+\\.(m?[jt]s)$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2022',
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  transformIgnorePatterns: ['/node_modules/(?!(@nestjs|jose|file-type|uint8array-extras|token-types|strtok3)/)'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/bench'],
};

export default {
  // Generous: a test that waits for an event says what it waits for, and a busy machine is no failure.
  testTimeout: 30_000,
  // More than there are cores: the longest suites wait more than they compute.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.ts'] },
    {
      ...shared,
      displayName: 'integration',
      testMatch: ['<rootDir>/test/**/*.spec.ts'],
      testEnvironment: '<rootDir>/test/support/environment.mjs',
    },
  ],
};
