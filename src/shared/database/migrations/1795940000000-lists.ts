import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Indexes of the lists of generations and of credits. */
export class Lists1795940000000 implements MigrationInterface {
  readonly name = 'Lists1795940000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('ledger/sql/missing_indexes_1.sql'));
    await runner.query(readSql('shared/database/migrations/tables/lists.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    // The indexes of the partitions are dropped with these.
    await runner.query(`
      drop function missing_indexes_1;
      drop index credit_grants_newest;
      drop index ledger_entries_corrections;
      drop index ledger_entries_newest;
      drop index generations_failed;
      drop index generations_by_user;
      drop index generations_by_session;
      drop index generations_by_workspace;
      drop index generations_by_key`);
  }
}
