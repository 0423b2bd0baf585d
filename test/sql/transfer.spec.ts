/**
 * A moved store is the same store, row by row and to the last digit, in both directions; an invalid move is refused in
 * one line and leaves no trace. A store with odd values in every table moves from the embedded database to PostgreSQL
 * and back; files are cut, changed and labelled as other releases; at the end the real commands run as child processes.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DataSource } from 'typeorm';
import { MEASURE_NAMES } from '../../src/ledger/figures/figure-columns.js';
import { lockDirectory } from '../../src/shared/database/directory-lock.js';
import { migrate } from '../../src/shared/database/migrate.js';
import { FORMER_HISTORIES, MIGRATIONS } from '../../src/shared/database/migrations.js';
import { StoreRefused } from '../../src/shared/database/store-refused.js';
import { exportStore } from '../../src/shared/database/transfer/export-store.js';
import { FileRefused } from '../../src/shared/database/transfer/file-refused.js';
import { importStore, migrationsOf } from '../../src/shared/database/transfer/import-store.js';
import { openStore } from '../../src/shared/database/transfer/open-store.js';
import { readStoreFile } from '../../src/shared/database/transfer/store-file.js';
import { DATA_EXPORT, DATA_IMPORT, runTransfer } from '../../src/shared/database/transfer/transfer-command.js';
import { compiledSource } from '../support/compiled-source.js';
import { outputOf, type CommandOutput } from '../support/command-output.js';
import {
  describeOnEachEmptyDatabase,
  describeOnEmbedded,
  describeOnEmptyPostgres,
  describeOnPostgres,
  type TestDatabase,
} from '../support/database.js';

const ROOT = join(__dirname, '..', '..');
/** Written by the last version before the first release, with something odd in every table. */
const FORMER_FILE = join(ROOT, 'test', 'sql', 'stores', 'before-the-first-release.ndjson');
const ACCOUNT = '0190a000-0000-7000-8000-000000000001';
const WORKSPACE = '0190a000-0000-7000-8000-000000000002';
const TINIEST = '0.000000000001';
const LARGEST = `${'9'.repeat(26)}.${'9'.repeat(12)}`;
/** Characters that need escapes, that other readers take for the end of a line, and that take four bytes. */
const ODD_TEXT = 'a\n\r\t"\\\u2028\u2029ü€𝄞';
/** More than one fetch and one insert take. */
const MANY = 1_100;

let folder: string;
let fileCount = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-transfer-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const newPath = (): string => join(folder, `${fileCount++}.ndjson`);

const open = (database: TestDatabase, migrations = MIGRATIONS): Promise<DataSource> =>
  openStore(database.settings, migrations, database.opener);

async function using<T>(dataSource: DataSource, act: (dataSource: DataSource) => Promise<T>): Promise<T> {
  try {
    return await act(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/** As if there had never been a store. */
async function wipe(database: TestDatabase): Promise<void> {
  await using(await open(database), async (dataSource) => {
    await dataSource.query('drop schema public cascade');
    await dataSource.query('create schema public');
  });
}

/** A store with something odd in every table. */
async function seed(dataSource: DataSource): Promise<void> {
  await migrate(dataSource);
  const put = async (table: string, ...rows: readonly object[]): Promise<void> => {
    const columns = Object.keys(rows[0]!).map((column) => `"${column}"`).join(); // oxfmt-ignore
    const insertion = `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`;
    await dataSource.query(insertion, [JSON.stringify(rows)]);
  };
  const many = Array.from({ length: MANY }, (_, index) => `gen-${index}`);
  const times = ['1999-12-31T23:59:59.999Z', '2024-02-01T00:00:00Z', new Date().toISOString()];
  for (const at of times) await dataSource.query('select ensure_month_1($1::timestamptz)', [at]);
  const owned = { account_id: ACCOUNT, workspace_id: WORKSPACE };
  const charged = { ...owned, key_hash: 'ab', held_at: times[0] };

  await put('accounts', {
    id: ACCOUNT,
    name: ODD_TEXT,
    free_tier: false,
    purchased_usd: LARGEST,
    created_at: times[1],
  });
  const workspace = { id: WORKSPACE, account_id: ACCOUNT, name: '', slug: 'w', is_default: true, created_at: times[1] };
  await put('workspaces', workspace);
  const key = { ...owned, kind: 'inference', name: ODD_TEXT, label: '', disabled: true, include_byok_in_limit: false };
  await put(
    'api_keys',
    {
      hash: 'ab'.repeat(32),
      ...key,
      limit_usd: LARGEST,
      allowed_models: [ODD_TEXT],
      expires_at: 'infinity',
      created_at: times[0],
    },
    { hash: '00'.repeat(32), ...key, limit_usd: null, expires_at: null, created_at: '0044-03-15 BC' },
  );
  const secret = { account_id: ACCOUNT, key_hash: 'ab'.repeat(32), created_at: times[0] };
  await put(
    'api_key_secrets',
    { hash: 'ab'.repeat(32), ...secret, ends_at: 'infinity' },
    { hash: 'cd'.repeat(32), ...secret, ends_at: null },
  );
  const counter = {
    account_id: ACCOUNT,
    scope: 'account',
    scope_id: ACCOUNT,
    interval: 'lifetime',
    window_start: 'epoch',
  };
  const counts = { used: TINIEST, held: `-${TINIEST}`, byok_used: '1e-12', byok_held: '1.10' };
  await put('spending_windows', { ...counter, limit: LARGEST, ...counts });
  const budget = { account_id: ACCOUNT, scope: 'workspace', scope_id: WORKSPACE, interval: 'daily', limit_usd: '0.1' };
  await put('budgets', { ...budget, include_byok: true });
  const grant = { id: WORKSPACE, account_id: ACCOUNT, kind: 'adjustment', amount: `-${TINIEST}`, note: ODD_TEXT };
  await put('credit_grants', { ...grant, idempotency_key: null, created_at: times[2] });
  await put('replicas', { id: WORKSPACE, heartbeat_at: times[2] });
  const hold = { generation_id: 'gen-a', ...charged, key_interval: 'daily', bound: LARGEST, byok_bound: 0 };
  await put('holds', { ...hold, replica: null, budgets: [['workspace', 'x', 'daily']], observed: { text: ODD_TEXT } });
  const columns = await dataSource.query<{ name: string }[]>(
    `select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = 'generations' and data_type in ('numeric', 'bigint', 'integer')`,
  );
  const numbers = Object.fromEntries(columns.map(({ name }, index) => [name, index + 1]));
  const generation = {
    ...charged,
    ...numbers,
    prompt_tokens: '9223372036854775807',
    cost: LARGEST,
    settled_at: times[2],
    api_type: 'chat',
    requested_model: ODD_TEXT,
    is_byok: true,
    streamed: false,
    outcome: 'completed',
    is_estimated: true,
    is_over_bound: false,
    is_recovered: true,
    is_corrected: false,
    trace: { a: { b: [ODD_TEXT, null, true] }, '': '' },
    attempts: [],
  };
  await put('generations', ...many.map((id, index) => ({ ...generation, id, held_at: times[index % times.length] })));
  // No double can represent it.
  await dataSource.query(`update generations set trace = '{"n": 12345678901234567890.10}' where id = 'gen-7'`);
  const entry = {
    ...charged,
    generation_id: 'gen-0',
    kind: 'charge',
    amount: LARGEST,
    byok_amount: 0,
    entered_at: times[2],
  };
  await put('ledger_entries', entry, { ...entry, kind: 'correction' });
  const closing = {
    month: times[1],
    account_id: ACCOUNT,
    scope: 'account',
    scope_id: 'x',
    amount: LARGEST,
    byok_amount: 0,
  };
  await put('ledger_closings', { ...closing, entries: '9223372036854775807' });
  await put('price_versions', { id: 'p', pricing: { prompt: '0.10', text: ODD_TEXT }, effective_from: times[1] });
  const lists = { allowed_providers: [ODD_TEXT], ignored_providers: [] };
  await put('workspace_members', { ...owned, user_id: ODD_TEXT, created_at: times[0] });
  const credential = { ...owned, provider: 'p', name: ODD_TEXT, label: '', disabled: false, is_fallback: true, is_required: false, is_byok_only: false, sort_order: 2_147_483_647, created_at: times[1] }; // oxfmt-ignore
  const sealed = { key_id: 'k', wrapped_key: String.raw`\x00ff`, sealed: String.raw`\x` };
  await put('provider_credentials', { id: WORKSPACE, ...credential, ...sealed, allowed_models: [ODD_TEXT] });
  const guardrail = { id: WORKSPACE, ...owned, name: ODD_TEXT, limit_usd: LARGEST, include_byok_in_budgets: true, ...lists, content_filters: [{ pattern: ODD_TEXT }], created_at: times[1] }; // oxfmt-ignore
  await put('guardrails', guardrail);
  const assignment = { id: ACCOUNT, account_id: ACCOUNT, guardrail_id: WORKSPACE, kind: 'member', subject: ODD_TEXT };
  await put('guardrail_assignments', { ...assignment, created_at: times[2] });
  const hashes = { previous_hash: '0'.repeat(64), hash: 'f'.repeat(64) };
  const entered = { account_id: ACCOUNT, at: times[1], actor: 'operator', action: 'a', target: ODD_TEXT, ...hashes };
  await put('data_keys', { id: WORKSPACE, purpose: 'p', number: 2_147_483_647, key_id: ODD_TEXT, wrapped_key: String.raw`\x00ff`, created_at: times[1] }); // oxfmt-ignore
  const shares = { enabled: true, broadcast: false, privacy_mode: true, sampling_rate: 0.1 };
  const parts = { broadcast_generation_cost: true, broadcast_generation_identity: true, broadcast_generation_request_context: true }; // oxfmt-ignore
  const receiver = { id: WORKSPACE, ...owned, name: ODD_TEXT, type: 'webhook', ...shares, ...parts, shown: { url: ODD_TEXT }, data_key: WORKSPACE, sealed: String.raw`\x00ff`, status: 'ok', created_at: times[1], updated_at: times[2] }; // oxfmt-ignore
  await put('destinations', receiver);
  const event = {
    id: WORKSPACE,
    account_id: ACCOUNT,
    type: ODD_TEXT,
    data: { message: ODD_TEXT },
    occurred_at: times[0],
  };
  await put('outbox_events', event);
  const delivery = { event_id: WORKSPACE, destination_id: WORKSPACE, status: 'waiting', due_at: times[1] };
  await put('outbox_deliveries', { ...delivery, attempts: 2_147_483_647 });
  const alarm = { id: WORKSPACE, account_id: ACCOUNT, name: ODD_TEXT, enabled: true, rule: { kind: ODD_TEXT } };
  await put('alarms', { ...alarm, percents: [80], forecast: false, created_at: times[0], updated_at: times[1] });
  await put('alarm_destinations', { alarm_id: WORKSPACE, destination_id: WORKSPACE });
  const session = { id: 'ab'.repeat(32), account_id: ACCOUNT, key_hash: 'ab'.repeat(32), secret_hash: 'cd'.repeat(32) };
  const sessionTimes = { created_at: times[0], last_seen_at: times[1], expires_at: 'infinity', revoked_at: null };
  await put('console_sessions', { ...session, label: ODD_TEXT, ...sessionTimes });
  await put('console_links', { id: 'cd'.repeat(32), key_hash: 'ab'.repeat(32), expires_at: times[2] });
  const preset = { id: WORKSPACE, ...owned, slug: 'a', name: ODD_TEXT, description: ODD_TEXT, status: 'archived', status_updated_at: times[1], designated_version_id: WORKSPACE, creator_user_id: ODD_TEXT, created_at: times[0], updated_at: times[2] }; // oxfmt-ignore
  await put('presets', preset);
  const version = {
    id: WORKSPACE,
    preset_id: WORKSPACE,
    version: 2_147_483_647,
    api: 'responses',
    creator_id: ODD_TEXT,
  };
  await put('preset_versions', { ...version, config: ODD_TEXT, system_prompt: ODD_TEXT, created_at: times[1] });
  const reply = { id: WORKSPACE, account_id: ACCOUNT, key_hash: 'ab'.repeat(32), kind: 'cache', name: ODD_TEXT, fingerprint: ODD_TEXT, generation_id: 'gen-a', state: 'kept', resumable: true, owner: WORKSPACE, leased_until: times[0], data_key: WORKSPACE, head: String.raw`\x00ff`, parts: 1, created_at: times[0], ended_at: times[1], expires_at: times[2] }; // oxfmt-ignore
  await put('kept_replies', reply);
  const part = { reply_id: WORKSPACE, number: 2_147_483_647, data_key: WORKSPACE, sealed: String.raw`\x00ff` };
  await put('kept_reply_parts', part);
  await put('ledger_verifications', { verified_at: times[0], differences: 2_147_483_647, warnings: 0 });
  await put('alarm_firings', { alarm_id: WORKSPACE, subject: ODD_TEXT, mark: ODD_TEXT, fired_at: times[2] });
  await put('alarm_sightings', { kind: 'outage', subject: ODD_TEXT, detail: { a: ODD_TEXT }, seen_at: times[2] });
  await put('broadcast_queue', { generation_id: 'gen-a', held_at: times[0], ...owned });
  const container = {
    key_hash: 'ab'.repeat(32),
    id: 'c-1',
    account_id: ACCOUNT,
    state: WORKSPACE,
    size: 2_147_483_647,
  };
  await put('tool_containers', { ...container, expires_at: times[2] });
  const piece = { state: WORKSPACE, number: 0, data_key: WORKSPACE, sealed: String.raw`\x00ff`, written_at: times[1] };
  await put('tool_container_pieces', piece);
  const seal = { seal: 'e'.repeat(64), seal_key: WORKSPACE };
  await put('audit_entries', { ...entered, seq: '9223372036854775806' });
  await put('audit_entries', { ...entered, seq: '9223372036854775807', before: ODD_TEXT, ...seal });
  await put('audit_anchors', { account_id: ACCOUNT, seq: 1, hash: 'f'.repeat(64), was_sealed: true, ...seal });
  const decision = { held_at: times[2], ...owned, decision: ODD_TEXT };
  await put('route_decisions', ...many.map((generation_id) => ({ generation_id, ...decision })));
  await put('consulted_decisions', { generation_id: many[0], place: 32_767, purpose: ODD_TEXT, ...decision });
  const measures = Object.fromEntries(
    MEASURE_NAMES.map((name) => [name, name.endsWith('cost') ? LARGEST : '9223372036854775807']),
  );
  const figures = { id: ACCOUNT, span: 'hour', at: times[1], detail: 'key', is_kept: true, ...owned, key_hash: 'ab', member: ODD_TEXT, model: ODD_TEXT, api: 'chat', outcome: 'completed', is_answered: true }; // oxfmt-ignore
  await put('generation_figures', { ...figures, ...measures });
  await put('figure_progress', { id: true, rolled_until: times[1], marked_until: times[1], closed_until: times[2] });
  const lineCounts = {
    prompt_tokens: 0,
    completion_tokens: 1,
    cached_tokens: 0,
    reasoning_tokens: '9223372036854775807',
  };
  const lineAmounts = { amount: LARGEST, byok_amount: 0, operator_cost: 0 };
  const closed = { account_id: ACCOUNT, month: times[0] };
  await put('statements', {
    ...closed,
    closed_at: times[1],
    closed_by: ODD_TEXT,
    opening_balance: LARGEST,
    hash: 'ab',
  });
  await put('statement_lines', { ...closed, place: 1, kind: 'charge', workspace: ODD_TEXT, count: 1, ...lineCounts, ...lineAmounts }); // oxfmt-ignore
  const late = {
    generation_id: 'gen-a',
    held_at: times[0],
    kind: 'charge',
    ...owned,
    key_hash: 'ab',
    member: ODD_TEXT,
  };
  await put('late_entries', { ...late, month: times[0], entered_at: times[1], ...lineCounts, ...lineAmounts });
  await put('figure_changes', { hour: times[0], changes: '9223372036854775807' });
}

/** Every row of every table but the list of migrations, as the database prints them. */
async function readAll(dataSource: DataSource): Promise<Record<string, readonly string[]>> {
  const tables: { name: string }[] = await dataSource.query(
    `select c.relname as name from pg_class c
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'migrations' order by 1`,
  );
  const rows: Record<string, readonly string[]> = {};
  for (const { name } of tables) {
    const found: { row: string }[] = await dataSource.query(
      `select t::text as row from "${name}" as t order by t::text collate "C"`,
    );
    rows[name] = found.map(({ row }) => row);
  }
  return rows;
}

async function importFile(dataSource: DataSource, path: string): Promise<void> {
  await importStore(dataSource, path, await readStoreFile(path));
}

/** The rows of a file in their order, with their tables. */
async function rowsOf(path: string): Promise<readonly string[]> {
  const rows: string[] = [];
  await readStoreFile(path, async (table, lines) => void rows.push(...lines.map((line) => `${table}: ${line}`)));
  return rows;
}

const countAll = (rows: Record<string, readonly string[]>): number =>
  Object.values(rows).reduce((sum, { length }) => sum + length, 0);

describeOnEmbedded('a store', (embedded) => {
  describeOnPostgres('that moves', (postgres) => {
    it('from the embedded database to PostgreSQL and back is the same, including partitions', async () => {
      const [first, second] = [newPath(), newPath()];
      const original = await using(await open(embedded), async (dataSource) => {
        await dataSource.query(`set timezone = 'UTC'`);
        await seed(dataSource);
        await exportStore(dataSource, first);
        return readAll(dataSource);
      });
      // Each partition is a separate table: a row in another month would be noticed.
      expect(Object.keys(original)).toContain('generations_1999_12');
      expect(
        Object.entries(original).filter(([name, rows]) => rows.length === 0 && !/_20\d\d_|^hold_epochs$/.test(name)),
      ).toEqual([]);

      await using(await open(postgres), async (dataSource) => {
        await importFile(dataSource, first);
        await dataSource.query(`set timezone = 'UTC'`);
        expect(await readAll(dataSource)).toEqual(original);
        await exportStore(dataSource, second);
      });

      await wipe(embedded);
      await using(await open(embedded), async (dataSource) => {
        await importFile(dataSource, second);
        expect(await readAll(dataSource)).toEqual(original);
      });
      expect(await readStoreFile(second)).toEqual(await readStoreFile(first));
    });
  });
});

describeOnEachEmptyDatabase('export', (database) => {
  it('refuses a database without a store, and makes no file', async () => {
    const path = newPath();
    const refused = using(await open(database), (dataSource) => exportStore(dataSource, path));
    await expect(refused).rejects.toThrow(StoreRefused);
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  it('refuses a store of a newer release, naming the unknown migration', async () => {
    await using(await open(database), async (dataSource) => {
      await migrate(dataSource);
      await dataSource.query(`insert into migrations (timestamp, name) values (1999999999999, 'Next1999999999999')`);
      await expect(exportStore(dataSource, newPath())).rejects.toThrow(/newer release \(Next1999999999999/);
      await dataSource.query(`delete from migrations where name = 'Next1999999999999'`);
    });
  });

  it('overwrites nothing', async () => {
    const path = newPath();
    await writeFile(path, 'kept');
    await using(await open(database), (dataSource) =>
      expect(exportStore(dataSource, path)).rejects.toThrow(FileRefused),
    );
    expect(await readFile(path, 'utf8')).toBe('kept');
  });

  it('leaves no file when it is stopped', async () => {
    const path = newPath();
    await using(await open(database), async (dataSource) => {
      const stopped = exportStore(dataSource, path, AbortSignal.abort(new Error('stopped')));
      await expect(stopped).rejects.toThrow('stopped');
      await expect(stat(path)).rejects.toThrow('ENOENT');
    });
  });

  it('has to carry only rows: no table has counters of its own', async () => {
    await using(await open(database), async (dataSource) => {
      expect(
        await dataSource.query(
          `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' and relname <> 'migrations_id_seq'`,
        ),
      ).toEqual([]);
    });
  });
});

describeOnEachEmptyDatabase('import', (database) => {
  let file: string;
  let original: Record<string, readonly string[]>;

  beforeAll(async () => {
    file = newPath();
    await using(await open(database), async (dataSource) => {
      await seed(dataSource);
      await exportStore(dataSource, file);
      original = await readAll(dataSource);
    });
  });
  beforeEach(() => wipe(database));

  const importInto = async (path: string): Promise<void> =>
    using(await open(database), (dataSource) => importFile(dataSource, path));

  /** The contents of the store, without changing it. */
  const look = async (): Promise<Record<string, readonly string[]>> => using(await open(database), readAll);

  it('fills an empty store that was migrated already', async () => {
    await using(await open(database), migrate);
    await importInto(file);
    expect(await look()).toEqual(original);
  });

  it.each(['accounts', 'price_versions'])(
    'refuses a store with a row in %s, and leaves it unchanged',
    async (table) => {
      await using(await open(database), async (dataSource) => {
        await migrate(dataSource);
        await dataSource.query(
          table === 'accounts'
            ? `insert into accounts (id, name) values ('${ACCOUNT}', 'other')`
            : `insert into price_versions (id, pricing, effective_from) values ('p', '{}', now())`,
        );
        const refused = importFile(dataSource, file);
        await expect(refused).rejects.toThrow(StoreRefused);
        await expect(refused).rejects.toThrow(table);
        expect(countAll(await readAll(dataSource))).toBe(1);
      });
    },
  );

  it('undoes everything when the file turns out damaged after it was checked', async () => {
    const description = await readStoreFile(file);
    const path = newPath();
    await writeFile(path, (await readFile(file)).subarray(0, -90));
    await using(await open(database), async (dataSource) => {
      await expect(importStore(dataSource, path, description)).rejects.toThrow(FileRefused);
      expect(countAll(await readAll(dataSource))).toBe(0);
    });
  });

  it('undoes everything when it is stopped', async () => {
    const description = await readStoreFile(file);
    await using(await open(database), async (dataSource) => {
      const stopped = importStore(dataSource, file, description, AbortSignal.abort(new Error('stopped')));
      await expect(stopped).rejects.toThrow('stopped');
      expect(countAll(await readAll(dataSource))).toBe(0);
    });
  });

  it('reads a file of an older release into its schema, and the next start brings it up to date', async () => {
    const path = newPath();
    const older = MIGRATIONS.slice(0, 1);
    await using(await open(database, older), async (dataSource) => {
      await migrate(dataSource);
      await dataSource.query(`insert into accounts (id, name) values ($1, 'of old')`, [ACCOUNT]);
      await exportStore(dataSource, path);
    });
    const description = await readStoreFile(path);
    expect(description.migrations).toEqual(older.map(({ name }) => name));

    // Whether the store is of this release is seen before anything is written.
    await wipe(database);
    await using(await open(database), migrate);
    await using(await open(database, migrationsOf(path, description)), async (dataSource) => {
      await expect(importStore(dataSource, path, description)).rejects.toThrow(/newer schema than the file/);
    });

    await wipe(database);
    await using(await open(database, migrationsOf(path, description)), (dataSource) =>
      importStore(dataSource, path, description),
    );
    await using(await open(database), async (dataSource) => {
      expect(await migrate(dataSource)).toEqual(MIGRATIONS.slice(1).map(({ name }) => name));
      expect(await dataSource.query('select name from accounts')).toEqual([{ name: 'of old' }]);
    });
  });

  it('reads a file of a version before the first release: the same rows are exported again', async () => {
    const description = await readStoreFile(FORMER_FILE);
    expect(description.migrations).toEqual(FORMER_HISTORIES[0]);
    const path = newPath();
    await using(await open(database, migrationsOf(FORMER_FILE, description)), async (dataSource) => {
      await importStore(dataSource, FORMER_FILE, description);
      expect(await migrate(dataSource)).toEqual([]);
      await exportStore(dataSource, path);
    });
    const again = await readStoreFile(path);
    expect(again.tables).toEqual(description.tables);
    // Columns that were added later are empty.
    const rows = (await rowsOf(path)).map((row) => row.replace(/"(?:deadline_at|epoch)": null, /, ''));
    expect(rows).toEqual(await rowsOf(FORMER_FILE));
  });

  it('and export refuse a store from before the first release, explaining how to move it', async () => {
    await using(await open(database), async (dataSource) => {
      await dataSource.query(`create table migrations (id serial, name text)`);
      await dataSource.query(`insert into migrations (name) select unnest($1::text[])`, [FORMER_HISTORIES[0]]);
      for (const act of [() => importFile(dataSource, file), () => exportStore(dataSource, newPath())]) {
        const refused = act();
        await expect(refused).rejects.toThrow(StoreRefused);
        await expect(refused).rejects.toThrow(/before the first release.*data:export.*data:import/);
      }
    });
  });
});

describe('the commands', () => {
  const run = (
    command: typeof DATA_EXPORT,
    words: readonly string[],
    variables: NodeJS.ProcessEnv = {},
  ): Promise<CommandOutput> =>
    outputOf((context) => runTransfer(command, context), {
      words,
      variables: { DATA_DIR: join(folder, 'nothing-here'), ...variables },
      workingDirectory: folder,
    });

  it.each([
    [DATA_EXPORT, [], '--out FILE is missing'],
    [DATA_EXPORT, ['--out', ''], '--out FILE is missing'],
    [DATA_EXPORT, ['--in', 'x'], '--in'],
    [DATA_EXPORT, ['x'], 'x'],
    [DATA_IMPORT, [], '--in FILE is missing'],
    [DATA_IMPORT, ['--in'], '--in'],
  ] as const)('%# shows how it is used when the words are wrong', async (command, words, reason) => {
    const { code, out, error } = await run(command, words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error.split('\n')[0]).toContain(reason);
    expect(error).toContain(`npm run ${command.name} -- --`);
  });

  it('print their usage on request', async () => {
    expect(await run(DATA_IMPORT, ['--help'])).toMatchObject({
      code: 0,
      error: '',
      out: expect.stringContaining('--in FILE'),
    });
  });

  it('make no database where there is none to export', async () => {
    const { code, error } = await run(DATA_EXPORT, ['--out', 'x']);
    expect({ code, error }).toEqual({
      code: 1,
      error: expect.stringMatching(/^data:export: .*contains no database[^\n]*\n$/),
    });
    await expect(stat(join(folder, 'nothing-here'))).rejects.toThrow('ENOENT');
  });

  it('report in one line what is wrong with a file, and touch no database', async () => {
    await writeFile(join(folder, 'not-a-store'), 'x\n');
    for (const [name, reason] of [['not-a-store', 'not a store'], ['not-there', 'ENOENT'], ['.', 'EISDIR']] as const) {
      const { code, error } = await run(DATA_IMPORT, ['--in', name]);
      expect({ name, code, lines: error.split('\n').length }).toEqual({ name, code: 1, lines: 2 });
      expect(error).toContain(reason);
    }
    await expect(stat(join(folder, 'nothing-here'))).rejects.toThrow('ENOENT');
  }); // oxfmt-ignore

  it('report a fault of the settings or the server, without a secret', async () => {
    const path = newPath();
    await writeFile(path, '');
    const DATABASE_URL = 'postgres://user:canary-password@127.0.0.1:1/store';
    const FAIRLEAD_ENCRYPTION_KEYS = `canary:${Buffer.alloc(32, 'canary').toString('base64')}`;
    const unreachable = await run(DATA_EXPORT, ['--out', 'y'], { DATABASE_URL, FAIRLEAD_ENCRYPTION_KEYS });
    expect(unreachable.code).toBe(1);
    expect(unreachable.error).toMatch(/^data:export: The database does not answer: [^\n]*ECONNREFUSED[^\n]*\n$/);
    const without = await run(DATA_EXPORT, ['--out', 'y'], { DATABASE_URL });
    expect(without).toMatchObject({ code: 1, error: expect.stringContaining('FAIRLEAD_ENCRYPTION_KEYS is required') });
    expect(unreachable.error + without.error).not.toMatch(/canary|Y2FuYXJ5/);
  });

  it('refuse an embedded database that a gateway has open', async () => {
    const dataDir = await mkdtemp(join(folder, 'data-'));
    await writeFile(join(dataDir, 'database'), '');
    const lock = await lockDirectory(join(dataDir, 'lock'));
    const { code, error } = await run(DATA_EXPORT, ['--out', 'z'], { DATA_DIR: dataDir });
    await lock.release();
    expect(code).toBe(1);
    expect(error).toMatch(/in use by another process \(pid \d+\)[^\n]*\n$/);
  });
});

describeOnEmptyPostgres('the commands as processes', (database) => {
  async function run(
    name: 'export' | 'import',
    words: readonly string[],
    variables: NodeJS.ProcessEnv,
  ): Promise<string> {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [compiledSource(`cli/data-${name}.js`), ...words],
      { cwd: ROOT, env: { PATH: process.env['PATH'], INIT_CWD: folder, ...variables } },
    );
    expect(stderr).toBe('');
    return stdout;
  }

  it('and the gateway itself refuse a store from before the first release in one sentence, and end with 1', async () => {
    await using(await open(database), async (dataSource) => {
      await dataSource.query(`create table migrations (id serial, name text)`);
      await dataSource.query(`insert into migrations (name) select unnest($1::text[])`, [FORMER_HISTORIES[0]]);
    });
    const env = {
      PATH: process.env['PATH'],
      PORT: '0',
      LOG_LEVEL: 'error',
      DATA_DIR: join(folder, 'former'),
      DATABASE_URL: database.settings.databaseUrl?.reveal(),
      FAIRLEAD_ENCRYPTION_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
    };
    for (const path of ['main.js', 'cli/ledger-verify.js', 'cli/audit-verify.js']) {
      const failed: unknown = await promisify(execFile)(process.execPath, [compiledSource(path)], {
        cwd: ROOT,
        env,
      }).catch((error: unknown) => error);
      expect(failed).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/before the first release[^\n]*data:import[^\n]*\n$/),
      });
    }
    await wipe(database);
  });

  it('move a store out of PostgreSQL into a new embedded database', async () => {
    const served = {
      DATABASE_URL: database.settings.databaseUrl?.reveal(),
      FAIRLEAD_ENCRYPTION_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
    };
    const embedded = { DATA_DIR: join(folder, 'moved') };
    await using(await open(database), seed);

    expect(await run('export', ['--out', 'out.ndjson'], served)).toMatch(/^Exported \d+ rows of \d+ tables to .*out.ndjson\.\n$/);
    expect(await run('import', ['--in', 'out.ndjson'], embedded)).toMatch(/^Imported \d+ rows/);
    await run('export', ['--out', 'back.ndjson'], embedded);

    const [out, back] = await Promise.all(
      ['out.ndjson', 'back.ndjson'].map(async (name) => (await readFile(join(folder, name), 'utf8')).split('\n')),
    );
    expect(out!.length).toBeGreaterThan(2 * MANY);
    // The last line sums up rows that may come in another order.
    expect(back!.slice(0, -2).sort()).toEqual(out!.slice(0, -2).sort());
  }); // oxfmt-ignore
});
