// Any number of replicas bring any database to the same schema once, and never touch a newer one. Several DataSources
// at once on fresh databases; the schema is then checked by what it must accept and refuse.
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { Secret } from '../../src/core/secret.js';
import { migrate } from '../../src/shared/database/migrate.js';
import { FORMER_HISTORIES, MIGRATIONS } from '../../src/shared/database/migrations.js';
import { databaseOptions } from '../../src/shared/database/options.js';
import { StoreRefused } from '../../src/shared/database/store-refused.js';
import {
  describeOnEachDatabase,
  describeOnEachEmptyDatabase,
  describeOnPostgres,
  type TestDatabase,
} from '../support/database.js';
import { createPostgresDatabase } from '../support/postgres-database.js';

const NAMES = MIGRATIONS.map(({ name }) => name);
const ROUNDS = 10;
const REPLICAS = 4;

/** A later release, for the purposes of the schema. */
class NextRelease1999999999999 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table of_next_release (id integer)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table of_next_release');
  }
}

class Failing1999999999999 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table half_done (id integer)');
    await runner.query('select no_such_column');
  }
  async down(): Promise<void> {}
}

async function listTables(dataSource: DataSource): Promise<string[]> {
  const rows: { name: string }[] = await dataSource.query(
    `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
  );
  // Partitions are named after the month.
  return rows.map(({ name }) => name).filter((name) => !/_\d{4}_\d{2}$/.test(name));
}

/** Opens without migrating; the caller destroys it. */
async function open(database: TestDatabase, extra: (new () => MigrationInterface)[] = []): Promise<DataSource> {
  const embedded = database.kind === 'embedded' ? await database.opener.open(database.settings.dataDir) : undefined;
  const options = databaseOptions(database.settings, embedded);
  return new DataSource({ ...options, migrations: [...MIGRATIONS, ...extra] }).initialize();
}

describeOnEachEmptyDatabase('migrations', (database) => {
  it('make the schema, once, from nothing', async () => {
    const dataSource = await open(database);
    expect(await migrate(dataSource)).toEqual(NAMES);
    expect(await migrate(dataSource)).toEqual([]);
    expect(await listTables(dataSource)).toEqual([
      'accounts',
      'alarm_destinations',
      'alarm_firings',
      'alarm_sightings',
      'alarms',
      'api_key_secrets',
      'api_keys',
      'audit_anchors',
      'audit_entries',
      'broadcast_queue',
      'budgets',
      'console_links',
      'console_sessions',
      'consulted_decisions',
      'credit_grants',
      'data_keys',
      'destinations',
      'figure_changes',
      'figure_progress',
      'generation_figures',
      'generations',
      'guardrail_assignments',
      'guardrails',
      'hold_epochs',
      'holds',
      'kept_replies',
      'kept_reply_parts',
      'late_entries',
      'ledger_closings',
      'ledger_entries',
      'ledger_verifications',
      'migrations',
      'outbox_deliveries',
      'outbox_events',
      'preset_versions',
      'presets',
      'price_versions',
      'provider_credentials',
      'replicas',
      'route_decisions',
      'spending_windows',
      'statement_lines',
      'statements',
      'tool_container_pieces',
      'tool_containers',
      'workspace_members',
      'workspaces',
    ]);
    await dataSource.destroy();
  });

  it('leave nothing behind when one of them fails, and run when it is repaired', async () => {
    const failing = await open(database, [Failing1999999999999]);
    const before = await listTables(failing);
    await expect(migrate(failing)).rejects.toThrow('no_such_column');
    expect(await listTables(failing)).toEqual(before);
    await failing.destroy();
    const mended = await open(database);
    expect(await migrate(mended)).toEqual([]);
    await mended.destroy();
  });

  it('refuse a schema that a newer release has migrated, naming the unknown migration', async () => {
    const newer = await open(database, [NextRelease1999999999999]);
    await migrate(newer);
    await newer.destroy();

    const older = await open(database);
    const refused = migrate(older);
    await expect(refused).rejects.toThrow(StoreRefused);
    await expect(refused).rejects.toThrow(/newer release \(NextRelease1999999999999/);
    await older.destroy();

    const again = await open(database, [NextRelease1999999999999]);
    await again.undoLastMigration();
    await again.destroy();
  });

  it('refuse a store from before the first release, explain how to move it, and leave it unchanged', async () => {
    const dataSource = await open(database);
    await dataSource.query('alter table migrations rename to migrations_of_today');
    await dataSource.query(`create table migrations (id serial, timestamp bigint, name text)`);
    for (const history of FORMER_HISTORIES) {
      await dataSource.query('delete from migrations');
      await dataSource.query(`insert into migrations (name) select unnest($1::text[])`, [history]);
      const refused = migrate(dataSource);
      await expect(refused).rejects.toThrow(StoreRefused);
      await expect(refused).rejects.toThrow(
        /before the first release.*npm run data:export -- --out FILE.*npm run data:import -- --in FILE/,
      );
      expect(await dataSource.query('select name from migrations order by id')).toEqual(
        history.map((name) => ({ name })),
      );
    }
    await dataSource.query('drop table migrations');
    await dataSource.query('alter table migrations_of_today rename to migrations');
    await dataSource.destroy();
  });

  it('can be undone, one by one, completely', async () => {
    const dataSource = await open(database);
    await migrate(dataSource);
    for (const _ of NAMES) await dataSource.undoLastMigration();
    expect(await listTables(dataSource)).toEqual(['migrations']);
    expect(await migrate(dataSource)).toEqual(NAMES);
    await dataSource.destroy();
  });

  it('bind management keys of other workspaces than the default one, and no other keys', async () => {
    const dataSource = await open(database);
    await migrate(dataSource);
    const later = NAMES.slice(NAMES.indexOf('BoundKeys1796041000000'));
    for (const _ of later) await dataSource.undoLastMigration();
    await dataSource.query(`insert into accounts (id, name) values (gen_random_uuid(), 'one')`);
    await dataSource.query(
      `insert into workspaces (id, account_id, name, slug, is_default)
       select gen_random_uuid(), a.id, w.slug, w.slug, w.slug = 'default' from accounts a, (values ('default'), ('other')) as w (slug)`,
    );
    await dataSource.query(
      `insert into api_keys (hash, account_id, workspace_id, kind, name, label, disabled, created_at)
       select encode(sha256((w.slug || k.kind || k.disabled)::bytea), 'hex'), w.account_id, w.id, k.kind, w.slug || ' ' || k.kind, '…', k.disabled, now()
       from workspaces w, (values ('management', false), ('management', true), ('inference', false)) as k (kind, disabled)`,
    );
    expect(await migrate(dataSource)).toEqual(later);
    expect(
      await dataSource.query(
        `select name, disabled, is_workspace_bound as bound from api_keys order by name, disabled`,
      ),
    ).toEqual([
      { name: 'default inference', disabled: false, bound: false },
      { name: 'default management', disabled: false, bound: false },
      { name: 'default management', disabled: true, bound: false },
      { name: 'other inference', disabled: false, bound: false },
      { name: 'other management', disabled: false, bound: true },
      { name: 'other management', disabled: true, bound: true },
    ]);
    for (const table of ['api_keys', 'workspaces', 'accounts']) await dataSource.query(`delete from ${table}`);
    await dataSource.destroy();
  });
});

describeOnEachDatabase('the schema', (database) => {
  const ACCOUNT = '0190a000-0000-7000-8000-000000000001';
  const OTHER_ACCOUNT = '0190a000-0000-7000-8000-000000000002';
  const WORKSPACE = '0190a000-0000-7000-8000-000000000003';
  const HASH = 'ab'.repeat(32);
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await database.connect();
    await dataSource.query(`insert into accounts (id, name) values ($1, 'one'), ($2, 'two')`, [ACCOUNT, OTHER_ACCOUNT]);
    await insert('workspaces', {
      id: WORKSPACE,
      account_id: ACCOUNT,
      name: 'Default',
      slug: 'default',
      is_default: true,
    });
  });
  afterAll(() => dataSource.destroy());

  async function insert(table: string, row: Record<string, unknown>): Promise<void> {
    const columns = Object.keys(row).map((column) => `"${column}"`);
    const parameters = columns.map((_, index) => `$${index + 1}`);
    await dataSource.query(
      `insert into ${table} (${columns.join()}) values (${parameters.join()})`,
      Object.values(row),
    );
  }

  const key = (change: Record<string, unknown> = {}) => ({
    hash: HASH,
    account_id: ACCOUNT,
    workspace_id: WORKSPACE,
    kind: 'inference',
    name: 'a',
    label: 'sk-…',
    created_at: new Date(0),
    ...change,
  });
  const spendingWindow = (change: Record<string, unknown> = {}) => ({
    account_id: ACCOUNT,
    scope: 'key',
    scope_id: HASH,
    interval: 'daily',
    window_start: new Date(0),
    ...change,
  });
  const workspace = (change: Record<string, unknown> = {}) => ({
    id: '0190a000-0000-7000-8000-00000000000a',
    account_id: ACCOUNT,
    name: 'n',
    slug: 's',
    ...change,
  });

  it.each([
    ['a second default workspace', 'workspaces', workspace({ is_default: true }), 'workspaces_one_default'],
    ['a slug that the account has', 'workspaces', workspace({ slug: 'default' }), 'workspaces_slug'],
    ['a workspace of no account', 'workspaces', workspace({ account_id: WORKSPACE }), 'workspaces_account_id_fkey'],
    ['a hash in capitals', 'api_keys', key({ hash: 'AB'.repeat(32) }), 'api_keys_hash_check'],
    ['a hash too short', 'api_keys', key({ hash: HASH.slice(1) }), 'api_keys_hash_check'],
    ['a hash too long', 'api_keys', key({ hash: `${HASH}a` }), 'too long'],
    ['a bound inference key', 'api_keys', key({ is_workspace_bound: true }), 'api_keys_bound_check'],
    ['an unknown kind', 'api_keys', key({ kind: 'admin' }), 'api_keys_kind_check'],
    ['no kind', 'api_keys', key({ kind: null }), 'not-null'],
    ['an unknown reset', 'api_keys', key({ limit_reset: 'lifetime' }), 'api_keys_limit_reset_check'],
    ["another account's workspace", 'api_keys', key({ account_id: OTHER_ACCOUNT }), 'api_keys_workspace'],
    [
      'an unknown interval',
      'spending_windows',
      spendingWindow({ interval: 'yearly' }),
      'spending_windows_interval_check',
    ],
    ['a limit past 26 digits', 'spending_windows', spendingWindow({ limit: `1${'0'.repeat(26)}` }), 'overflow'],
  ])('refuses %s', async (_, table, row, reason) => {
    await expect(insert(table, row)).rejects.toThrow(reason);
  });

  it('keeps amounts to the last digit and times to the millisecond', async () => {
    const amount = `${'9'.repeat(26)}.${'9'.repeat(12)}`;
    const at = new Date('2026-02-28T23:59:59.999Z');
    await insert('api_keys', key({ limit_usd: amount, limit_reset: null, expires_at: at }));
    expect(
      await dataSource.query('select limit_usd, limit_reset, expires_at, deleted_at, disabled from api_keys'),
    ).toEqual([{ limit_usd: amount, limit_reset: null, expires_at: at, deleted_at: null, disabled: false }]);
  });

  it('has one latest secret of a key, each secret once, and none without a key', async () => {
    const ID = 'e'.repeat(64);
    const secret = (change: object = {}): Record<string, unknown> => ({
      hash: ID,
      account_id: ACCOUNT,
      key_hash: ID,
      created_at: new Date(0),
      ...change,
    });
    const [second, third] = ['c', 'd'].map((digit) => digit.repeat(64));
    await expect(insert('api_key_secrets', secret())).rejects.toThrow('api_key_secrets_key_hash_fkey');
    await insert('api_keys', key({ hash: ID }));
    await insert('api_key_secrets', secret({ ends_at: new Date(1) }));
    await insert('api_key_secrets', secret({ hash: second }));
    for (const [row, reason] of [
      [secret({ ends_at: new Date(2) }), 'api_key_secrets_pkey'],
      [secret({ hash: third }), 'api_key_secrets_latest'],
      [secret({ hash: 'CD'.repeat(32), ends_at: new Date(2) }), 'api_key_secrets_hash_check'],
    ] as const)
      await expect(insert('api_key_secrets', row)).rejects.toThrow(reason);
  });

  it('begins a window with nothing used or held, and has one row of each', async () => {
    await insert('spending_windows', spendingWindow());
    expect(await dataSource.query('select used, held, "limit" from spending_windows')).toEqual([
      { used: '0.000000000000', held: '0.000000000000', limit: null },
    ]);
    await expect(insert('spending_windows', spendingWindow())).rejects.toThrow('spending_windows_pkey');
  });

  it('allows the same slug, and a default, in another account', async () => {
    await insert('workspaces', workspace({ account_id: OTHER_ACCOUNT, slug: 'default', is_default: true }));
  });
});

describeOnPostgres('replicas that start at once', () => {
  async function openReplica(url: string, extra: (new () => MigrationInterface)[] = []): Promise<DataSource> {
    const options = databaseOptions({ databaseUrl: new Secret(url), databasePool: 2 });
    return new DataSource({ ...options, migrations: [...MIGRATIONS, ...extra] }).initialize();
  }

  it(`make one schema: ${REPLICAS} replicas on an empty database, ${ROUNDS} rounds`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const database = await createPostgresDatabase(globalThis.__SERVICES__.postgres!);
      const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => openReplica(database.url)));
      const ran = await Promise.all(replicas.map(migrate));
      expect(ran.filter((names) => names.length > 0)).toEqual([NAMES]);
      const history: { name: string }[] = await replicas[0]!.query('select name from migrations order by id');
      expect(history.map(({ name }) => name)).toEqual(NAMES);
      await Promise.all(replicas.map((replica) => replica.destroy()));
      await database.drop();
    }
  }, 240_000);

  it('continue when the working one is killed', async () => {
    const database = await createPostgresDatabase(globalThis.__SERVICES__.postgres!);
    /** Kills its own session with half of the work done. */
    class Killed1999999999999 implements MigrationInterface {
      async up(runner: QueryRunner): Promise<void> {
        await runner.query('create table half_done (id integer)');
        await runner.query('select pg_terminate_backend(pg_backend_pid())');
      }
      async down(): Promise<void> {}
    }
    const killed = await openReplica(database.url, [Killed1999999999999]);
    const others = await Promise.all([openReplica(database.url), openReplica(database.url)]);
    const [first, ...rest] = await Promise.allSettled([migrate(killed), ...others.map(migrate)]);
    expect(first.status).toBe('rejected');
    expect(rest.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await listTables(others[0])).not.toContain('half_done');
    await Promise.all([killed, ...others].map((replica) => replica.destroy()));
    await database.drop();
  });
});
