import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** The result of the last verification of the ledger. */
export class LedgerVerifications1796051500000 implements MigrationInterface {
  readonly name = 'LedgerVerifications1796051500000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/ledger-verifications.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table ledger_verifications');
  }
}
