import type { DataSource, QueryRunner } from 'typeorm';
import { assertOfThisRelease, listExecuted } from '../schema-history.js';
import { StoreRefused } from '../store-refused.js';
import { StoreFileWriter, type StoreDescription } from './store-file.js';
import { countRows, listMonths, listTables, type StoreTable } from './store-tables.js';
import { inTransaction } from './store-transaction.js';

/** Rows in memory at a time. */
const FETCH_ROWS = 1_000;

/**
 * Writes every row of the store into a new file, as of one moment, without blocking other users of the store. Numbers
 * and times are copied as the database prints them.
 * @throws FileRefused when the file cannot be made
 * @throws StoreRefused when there is no store, or one of another release
 */
export async function exportStore(
  dataSource: DataSource,
  path: string,
  signal?: AbortSignal,
): Promise<StoreDescription> {
  return inTransaction(dataSource, 'REPEATABLE READ', async (runner) => {
    await runner.query(`set transaction read only`);
    const migrations = await listExecuted(runner);
    if (migrations.length === 0)
      throw new StoreRefused('The database contains no store of Fairlead: there is nothing to export.');
    assertOfThisRelease(migrations);
    const file = await StoreFileWriter.create(path);
    try {
      const tables = await listTables(runner);
      const counts = await countRows(runner, tables);
      const description: StoreDescription = {
        migrations,
        months: await listMonths(runner),
        tables: tables.map(({ name }, index) => ({ name, rows: counts[index] ?? 0 })),
      };
      await file.describe(description);
      for (const [index, table] of tables.entries()) {
        const written = await writeRows(runner, table, file, signal);
        if (written !== counts[index])
          throw new Error(`${table.name} has ${counts[index]} rows, ${written} were read.`);
      }
      await file.finish();
      return description;
    } catch (error) {
      await file.discard();
      throw error;
    }
  });
}

async function writeRows(
  runner: QueryRunner,
  { quoted, columns }: StoreTable,
  file: StoreFileWriter,
  signal: AbortSignal | undefined,
): Promise<number> {
  // jsonb is printed in one line, whatever the columns contain, and numbers with all their digits.
  const row = `select to_jsonb(stored)::text as line from (select ${columns.join()} from ${quoted}) as stored`;
  await runner.query(`declare store_rows no scroll cursor for ${row}`);
  let count = 0;
  for (;;) {
    signal?.throwIfAborted();
    const rows = (await runner.query(`fetch ${FETCH_ROWS} from store_rows`)) as { readonly line: string }[];
    if (rows.length === 0) break;
    await file.write(rows.map(({ line }) => line));
    count += rows.length;
  }
  await runner.query(`close store_rows`);
  return count;
}
