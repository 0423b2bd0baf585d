/**
 * The commands of TypeORM work on the store, and find nothing to change in a migrated one; any difference between the
 * entities and the tables is found. Runs the scripts of package.json as child processes, on PostgreSQL and on an
 * embedded database.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { FORMER_HISTORIES, MIGRATIONS } from '../../src/shared/database/migrations.js';
import { describeOnEmptyPostgres } from '../support/database.js';

const ROOT = join(__dirname, '..', '..');
const COMMAND_MS_MAX = 240_000;
const NAMES = MIGRATIONS.map(({ name }) => name);

interface Ended {
  /** -1: it took too long and was ended. */
  readonly code: number;
  readonly out: string;
}

/** Runs a script of package.json, without the second that npm itself takes. */
async function run(
  script: 'migration:show' | 'migration:run' | 'migration:generate',
  words: readonly string[],
  variables: NodeJS.ProcessEnv,
): Promise<Ended> {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Record<string, string>;
  };
  const [node, ...given] = scripts[script]!.split(' ');
  expect(node).toBe('node');
  const options = { cwd: ROOT, env: { PATH: process.env['PATH'], ...variables }, timeout: COMMAND_MS_MAX };
  return new Promise((resolve) => {
    execFile(process.execPath, [...given, ...words], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out: stdout + stderr }),
    );
  });
}

const shown = (mark: string): string => NAMES.map((name) => `\\[${mark}\\] (\\d+ )?${name}`).join('\\s+');

describeOnEmptyPostgres('the commands of TypeORM', (database) => {
  const variables = (): NodeJS.ProcessEnv => ({ DATABASE_URL: database.settings.databaseUrl?.reveal() });
  const check = (): Promise<Ended> => run('migration:generate', ['--check', 'difference'], variables());

  async function query(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: variables()['DATABASE_URL'] });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }

  it('show pending migrations, run them, and show that they ran', async () => {
    expect(await run('migration:show', [], variables())).toEqual({
      code: 0,
      out: expect.stringMatching(new RegExp(shown(' '))),
    });
    const ran = await run('migration:run', [], variables());
    expect(ran.code).toBe(0);
    for (const name of NAMES) expect(ran.out).toContain(`Migration ${name} has been executed successfully.`);
    expect((await run('migration:show', [], variables())).out).toMatch(new RegExp(shown('X')));
  }, 240_000);

  it('find nothing to change in a migrated store: every table matches its entity', async () => {
    expect(await check()).toEqual({
      code: 0,
      out: expect.stringContaining('No changes in database schema were found'),
    });
  }, 240_000);

  it('find differences, in partitioned tables as in others, and write them into a migration', async () => {
    await query(`
      alter table generations alter column provider set not null;
      alter table ledger_entries drop constraint ledger_entries_kind_check;
      alter table holds add column unknown text;
      alter table budgets alter column include_byok drop default;
      alter table audit_entries drop constraint audit_entries_account_id_fkey;
      drop index api_keys_newest;
      drop table replicas`);
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-orm-'));
    const { code } = await run('migration:generate', [join(folder, 'difference')], variables());
    expect(code).toBe(0);
    const [file] = await readdir(folder);
    const migration = await readFile(join(folder, file!), 'utf8');
    await rm(folder, { recursive: true });
    const up = migration.slice(0, migration.indexOf('async down'));
    for (const change of [
      'ALTER TABLE "generations" ALTER COLUMN "provider" DROP NOT NULL',
      'ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_kind_check"',
      'ALTER TABLE "holds" DROP COLUMN "unknown"',
      'ALTER TABLE "budgets" ALTER COLUMN "include_byok" SET DEFAULT false',
      'ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_account_id_fkey"',
      'CREATE INDEX "api_keys_newest"',
      'CREATE TABLE "replicas"',
    ]) {
      expect(up).toContain(change);
    }
    expect(up.match(/queryRunner\.query/g)).toHaveLength(7);
    expect((await check()).code).toBe(1);
  }, 240_000);

  it('run nothing on a store from before the first release', async () => {
    await query(`
      truncate migrations;
      insert into migrations (timestamp, name) select 0, unnest(array[${FORMER_HISTORIES[0].map((name) => `'${name}'`).join()}])`);
    for (const command of ['migration:run', 'migration:show'] as const) {
      const { code, out } = await run(command, [], variables());
      expect([command, code]).toEqual([command, 1]);
      expect(out).toContain('before the first release');
      expect(out).not.toContain('    at ');
    }
  }, 240_000);
});

describe('the commands of TypeORM on an embedded database', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'fairlead-orm-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('make and migrate it, and release it', async () => {
    const { code, out } = await run('migration:run', [], { DATA_DIR: dataDir });
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining(`Migration ${NAMES.at(-1)} has been executed`),
    });
    expect(await readdir(dataDir)).toEqual(['database']);
  }, 240_000);
});
