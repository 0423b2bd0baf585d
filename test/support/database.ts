import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { Secret } from '../../src/core/secret.js';
import { openMigrated } from '../../src/shared/database/database.module.js';
import type { EmbeddedEngine } from '../../src/shared/database/embedded-engine.js';
import { EmbeddedOpener, type EmbeddedDatabase } from '../../src/shared/database/embedded.js';
import { gatheringMessages } from '../../src/shared/database/gathered-messages.js';
import { databaseOptions } from '../../src/shared/database/options.js';
import type { Environment } from '../../src/shared/environment.js';
import { createPostgresDatabase } from './postgres-database.js';

declare global {
  /** Servers that answer, by `global-setup.mjs`. */
  var __SERVICES__: {
    readonly postgres: string | null;
    readonly redis: string | null;
    /** Name of a migrated database on the PostgreSQL server, for copies. */
    readonly template: string | null;
  };
  var __ENGINE__: () => Promise<EmbeddedEngine>;
  /** The worker's embedded database, migrated, without rows. */
  var __MIGRATED__: () => Promise<PGlite>;
  /** The worker's embedded database, without tables. */
  var __EMPTY__: () => Promise<PGlite>;
  /** Shared state of one worker's test files, by name. */
  var __KEPT__: Map<string, unknown>;
}

/** The environment settings of a test database. */
export type DatabaseSettings = Pick<Environment, 'databaseUrl' | 'databasePool' | 'dataDir'>;

/**
 * A database for one suite, migrated and without rows unless the suite needs it empty, available from its `beforeAll`
 * on; its contents last until the suite ends.
 */
export interface TestDatabase {
  readonly kind: 'embedded' | 'postgres';
  /** To be merged into the environment of an app. */
  readonly settings: DatabaseSettings;
  /** For `DatabaseModule.register`. One open database at a time, as with the real one. */
  readonly opener: EmbeddedOpener;
  /**
   * A migrated DataSource in addition to the app's, or without one. The caller destroys it. On `embedded`, not while an
   * app is open.
   */
  connect(entities?: NonNullable<DataSourceOptions['entities']>): Promise<DataSource>;
}

type Suite = (database: TestDatabase) => void;
/** The initial state of a suite: the schema without rows, or no tables. */
type Beginning = 'migrated' | 'empty';

/**
 * Runs a suite on the embedded database, and on PostgreSQL in its own database where a server answers; else it is
 * listed as skipped.
 */
export function describeOnEachDatabase(name: string, suite: Suite): void {
  describeOnEmbedded(name, suite);
  describeOnPostgres(name, suite);
}

/** `describeOnEachDatabase` without tables, for suites about migrations and about invalid stores. */
export function describeOnEachEmptyDatabase(name: string, suite: Suite): void {
  onEmbedded(name, suite, 'empty');
  onPostgres(name, suite, 'empty');
}

/** For suites independent of the kind of database. */
export function describeOnEmbedded(name: string, suite: Suite): void {
  onEmbedded(name, suite, 'migrated');
}

/**
 * Only where a PostgreSQL server answers; else listed as skipped. For behaviour that one session cannot show:
 * concurrency.
 */
export function describeOnPostgres(name: string, suite: Suite): void {
  onPostgres(name, suite, 'migrated');
}

/** `describeOnPostgres` without tables. */
export function describeOnEmptyPostgres(name: string, suite: Suite): void {
  onPostgres(name, suite, 'empty');
}

function onEmbedded(name: string, suite: Suite, beginning: Beginning): void {
  describe(`${name} (embedded)`, () => runWith(prepareEmbedded(beginning), suite));
}

function onPostgres(name: string, suite: Suite, beginning: Beginning): void {
  const server = globalThis.__SERVICES__.postgres;
  // Nothing else decides whether a suite runs.
  const { skip } = describe;
  const run = server === null ? skip : describe;
  run(`${name} (PostgreSQL)`, () => runWith(preparePostgres(server ?? '', beginning), suite));
}

interface Prepared {
  readonly database: TestDatabase;
  readonly remove: () => Promise<void>;
}

function runWith({ database, remove }: Prepared, suite: Suite): void {
  suite(database);
  // Registered last, so that it runs after the suite has closed its own resources.
  afterAll(remove, 30_000);
}

function prepareEmbedded(beginning: Beginning): Prepared {
  let dataDir: string | undefined;
  let opener: HandedOver | undefined;
  beforeAll(async () => {
    dataDir = await makeDataDir();
    const pglite = await (beginning === 'empty' ? globalThis.__EMPTY__() : globalThis.__MIGRATED__());
    opener = new HandedOver(pglite, (await globalThis.__ENGINE__()).createPgConfig);
  }, 240_000);
  return {
    database: asTestDatabase(
      'embedded',
      () => ({ databasePool: 1, dataDir: made(dataDir) }),
      () => made(opener),
    ),
    remove: () => removeDataDir(dataDir),
  };
}

function preparePostgres(server: string, beginning: Beginning): Prepared {
  let dataDir: string | undefined;
  let own: Awaited<ReturnType<typeof createPostgresDatabase>> | undefined;
  beforeAll(async () => {
    dataDir = await makeDataDir();
    const { template } = globalThis.__SERVICES__;
    own = await createPostgresDatabase(server, beginning === 'empty' ? null : template);
  }, 240_000);
  return {
    database: asTestDatabase(
      'postgres',
      () => ({ databaseUrl: new Secret(made(own).url), databasePool: 10, dataDir: made(dataDir) }),
      () => new NeverOpened(),
    ),
    remove: async () => {
      await own?.drop();
      await removeDataDir(dataDir);
    },
  };
}

function asTestDatabase(
  kind: TestDatabase['kind'],
  settings: () => DatabaseSettings,
  opener: () => EmbeddedOpener,
): TestDatabase {
  return {
    kind,
    get settings() {
      return settings();
    },
    get opener() {
      return opener();
    },
    connect: async (entities = []) => {
      const embedded = kind === 'embedded' ? await opener().open(settings().dataDir) : undefined;
      return openMigrated({ ...databaseOptions(settings(), embedded), entities });
    },
  };
}

/** Opens the database that the worker made; like the real one, once at a time. */
class HandedOver extends EmbeddedOpener {
  private isOpen = false;

  constructor(
    private readonly pglite: PGlite,
    private readonly createPgConfig: EmbeddedEngine['createPgConfig'],
  ) {
    super();
  }

  override async open(): Promise<EmbeddedDatabase> {
    if (this.isOpen) throw new Error('The embedded database is open already: close the app or DataSource before.');
    this.isOpen = true;
    return {
      connect: () => this.createPgConfig(gatheringMessages(this.pglite)).connection,
      close: async () => {
        this.isOpen = false;
      },
    };
  }
}

class NeverOpened extends EmbeddedOpener {
  override open(): Promise<EmbeddedDatabase> {
    return Promise.reject(new Error('This suite runs on PostgreSQL: its environment must have a databaseUrl.'));
  }
}

function makeDataDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'fairlead-test-'));
}

async function removeDataDir(dataDir: string | undefined): Promise<void> {
  if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true });
}

function made<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The database is there from beforeAll on: read it inside tests and hooks.');
  return value;
}
