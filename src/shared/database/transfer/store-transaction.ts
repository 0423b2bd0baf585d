import type { DataSource, QueryRunner } from 'typeorm';

/** Runs work in one transaction without a time limit, and rolls it back when it fails. */
export async function inTransaction<T>(
  dataSource: DataSource,
  isolation: 'READ COMMITTED' | 'REPEATABLE READ',
  act: (runner: QueryRunner) => Promise<T>,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction(isolation);
    // A role's own time limits are meant for requests.
    await runner.query(`set local statement_timeout = 0`);
    await runner.query(`set local idle_in_transaction_session_timeout = 0`);
    await runner.query(`set local lock_timeout = '10s'`);
    // Times are printed in UTC everywhere.
    await runner.query(`set local timezone = 'UTC'`);
    const result = await act(runner);
    await runner.commitTransaction();
    return result;
  } catch (error) {
    // The first error is the one to report; a broken connection cannot roll back, nor does it need to.
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
  }
}
