import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import { StoreRefused } from './store-refused.js';
import { patiently } from './watched-client.js';

/** Any number; ours everywhere and for ever: replicas of different releases must exclude one another. */
const MIGRATION_LOCK = 7_236_451_902;

/**
 * Brings the schema up to date, all of it or nothing. Any number of replicas may call it at once: one works, the others wait
 * and find it done. The lock ends with its transaction, so a killed replica leaves neither lock nor half a schema.
 *
 * @returns the names of the migrations that were run
 * @throws StoreRefused when the schema is newer than this release
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  return patiently(await runner.connect(), () => migrateBy(dataSource, runner));
}

async function migrateBy(dataSource: DataSource, runner: QueryRunner): Promise<string[]> {
  try {
    // Under a stricter level, which a server may have as its default, the snapshot would be older than the wait for the lock.
    await runner.startTransaction('READ COMMITTED');
    const names = await migrateWithin(dataSource, runner);
    await runner.commitTransaction();
    return names;
  } catch (error) {
    // The first error is the one to tell; a broken connection cannot roll back, nor does it need to.
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
  }
}

async function migrateWithin(dataSource: DataSource, runner: QueryRunner): Promise<string[]> {
  // For this transaction only: a role's own time limits are meant for requests. Once the others are excluded, no change of a
  // table may hold up the requests of running replicas for long.
  await runner.query(`set local statement_timeout = 0`);
  await runner.query(`set local lock_timeout = 0`);
  await runner.query(`select pg_advisory_xact_lock($1)`, [MIGRATION_LOCK]);
  await runner.query(`set local lock_timeout = '10s'`);

  // An executor that is given a runner inside a transaction stays in it: it neither begins nor commits one.
  const executor = new MigrationExecutor(dataSource, runner);
  const known = new Set(dataSource.migrations.map((migration) => migration.name));
  const stranger = (await executor.getExecutedMigrations()).find(({ name }) => !known.has(name));
  if (stranger) {
    throw new StoreRefused(
      `The database has been migrated by a newer release (${stranger.name} is not known here). Run that release, or restore ` +
        'a backup from before it.',
    );
  }
  return (await executor.executePendingMigrations()).map(({ name }) => name);
}
