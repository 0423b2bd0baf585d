import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import { waitForLock } from './advisory-locks.js';
import { assertOfThisRelease, listExecuted } from './schema-history.js';
import { withoutTimeout } from './watched-client.js';

/**
 * Brings the schema up to date, completely or not at all. Any number of replicas may call it at once: one works, the
 * others wait and find it done. The lock ends with its transaction, so a killed replica leaves neither a lock nor half
 * a schema.
 * @returns the names of the migrations that were run
 * @throws StoreRefused when the schema is newer than this release, or from before the first one
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  return withoutTimeout(await runner.connect(), () => migrateBy(dataSource, runner));
}

async function migrateBy(dataSource: DataSource, runner: QueryRunner): Promise<string[]> {
  try {
    // Under a stricter level, which may be a server's default, the snapshot would be older than the wait for the lock.
    await runner.startTransaction('READ COMMITTED');
    const names = await migrateWithin(dataSource, runner);
    await runner.commitTransaction();
    return names;
  } catch (error) {
    // The first error is the one to report; a broken connection cannot roll back, nor does it need to.
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
  }
}

async function migrateWithin(dataSource: DataSource, runner: QueryRunner): Promise<string[]> {
  // For this transaction only: a role's own time limits are meant for requests. Once the others are excluded, no table
  // change may block the requests of running replicas for long.
  await runner.query(`set local statement_timeout = 0; set local lock_timeout = 0`);
  await waitForLock(runner, 'migration');
  await runner.query(`set local lock_timeout = '10s'`);

  assertOfThisRelease(
    await listExecuted(runner),
    dataSource.migrations.map(({ name }) => String(name)),
  );
  const executor = new MigrationExecutor(dataSource, runner);
  // The transaction is ours.
  executor.transaction = 'none';
  return (await executor.executePendingMigrations()).map(({ name }) => name);
}
