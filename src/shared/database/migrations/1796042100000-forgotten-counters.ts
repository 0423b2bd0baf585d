import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** A bound for the number of counters of users, members and tags. */
export class ForgottenCounters1796042100000 implements MigrationInterface {
  readonly name = 'ForgottenCounters1796042100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/forgotten-counters.sql'));
    await runner.query(readSql('ledger/sql/forget_counters_1.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function forget_counters_1;
      alter table accounts drop column counters_forgotten_at`);
  }
}
