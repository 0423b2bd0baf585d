import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Before a refusal, postings are found by the names on the holds (docs/contribute/decisions/0038). */
export class RefusingCounters1795435000000 implements MigrationInterface {
  readonly name = 'RefusingCounters1795435000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('ledger/sql/post_counters_2.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function post_counters_2');
  }
}
