import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { migrate } from '../migrate.js';
import { FORMER_AS, FORMER_HISTORIES, MIGRATIONS } from '../migrations.js';
import { assertOfThisRelease, listExecuted } from '../schema-history.js';
import { StoreRefused } from '../store-refused.js';
import { FileRefused } from './file-refused.js';
import { readStoreFile, type StoreDescription } from './store-file.js';
import { countRows, listTables, type StoreTable } from './store-tables.js';
import { inTransaction } from './store-transaction.js';

type Migration = new () => MigrationInterface;

/**
 * The migrations that make the schema of this file. A file of an older release is read into the older schema; the
 * gateway migrates it when it starts.
 * @throws FileRefused when a newer release wrote it, or one that is too old
 */
export function migrationsOf(path: string, { migrations }: StoreDescription): readonly Migration[] {
  const names = isFormer(migrations) ? FORMER_AS : migrations;
  const made = MIGRATIONS.slice(0, names.length);
  if (names.length > 0 && names.every((name, index) => name === made[index]?.name)) return made;
  const known = new Set([...FORMER_HISTORIES.flat(), ...MIGRATIONS.map(({ name }) => name)]);
  const unknownMigration = migrations.find((name) => !known.has(name));
  if (unknownMigration !== undefined) {
    throw new FileRefused(
      `${path} was written by a newer release (${unknownMigration} is not known here): import with that release.`,
    );
  }
  if (migrations.length > 0 && FORMER_HISTORIES.some((history) => beginsWith(history, migrations))) {
    throw new FileRefused(
      `${path} is of a version too old: start the last version before the first release once on its store, and export it with that.`,
    );
  }
  throw new FileRefused(`${path} names a schema that never existed.`);
}

/** Only a complete former history: with fewer migrations the tables had other columns. */
const isFormer = (migrations: readonly string[]): boolean =>
  FORMER_HISTORIES.some((history) => history.length === migrations.length && beginsWith(history, migrations));

const beginsWith = (history: readonly string[], migrations: readonly string[]): boolean =>
  migrations.every((name, index) => name === history[index]);

/**
 * Fills an empty store with a file's rows: all of them, or none when anything fails.
 * @param dataSource opened with the file's own migrations
 * @throws FileRefused when the file is not the one that `readStoreFile` read before
 * @throws StoreRefused when the store is not empty, of another release, or its schema newer than the file's
 */
export async function importStore(
  dataSource: DataSource,
  path: string,
  { months, tables }: StoreDescription,
  signal?: AbortSignal,
): Promise<void> {
  await assertNotNewer(dataSource);
  await migrate(dataSource);
  await inTransaction(dataSource, 'READ COMMITTED', async (runner) => {
    const stored = await listTables(runner);
    const statements = new Map(stored.map((table) => [table.name, statementFor(table)]));
    if (stored.length !== tables.length || tables.some(({ name }) => !statements.has(name))) {
      throw new FileRefused(`${path} has other tables than its schema.`);
    }
    await assertEmpty(runner, stored);
    for (const month of months) await runner.query(`select ensure_month_1($1::timestamptz)`, [month]);

    await readStoreFile(path, async (table, rows) => {
      signal?.throwIfAborted();
      const statement = statements.get(table);
      if (statement === undefined) throw new FileRefused(`${path} was changed while it was read.`);
      await runner.query(statement, [`[${rows.join()}]`]);
    });

    const counts = await countRows(runner, stored);
    const expectedRows = new Map(tables.map(({ name, rows }) => [name, rows]));
    const differing = stored.find(({ name }, index) => expectedRows.get(name) !== counts[index]);
    if (differing) throw new Error(`${differing.name} has other rows than the file after the import; it was undone.`);
  });
}

function statementFor({ quoted, columns }: StoreTable): string {
  const list = columns.join();
  return `insert into ${quoted} (${list}) select ${list} from json_populate_recordset(null::${quoted}, $1::json)`;
}

async function assertNotNewer(dataSource: DataSource): Promise<void> {
  const executed = await listExecuted(dataSource);
  assertOfThisRelease(executed);
  const made = new Set(dataSource.migrations.map(({ name }) => name));
  if (executed.some((name) => !made.has(name))) {
    throw new StoreRefused(
      'The database has a newer schema than the file: import into a database that no gateway was started on.',
    );
  }
}

/** From here on no other process writes. */
async function assertEmpty(runner: QueryRunner, tables: readonly StoreTable[]): Promise<void> {
  await runner.query(`lock table ${tables.map(({ quoted }) => quoted).join()} in exclusive mode`);
  for (const { name, quoted } of tables) {
    const rows = (await runner.query(`select 1 from ${quoted} limit 1`)) as unknown[];
    if (rows.length > 0) {
      throw new StoreRefused(
        `The store is not empty (${name} has rows): import into one that no gateway was started on.`,
      );
    }
  }
}
