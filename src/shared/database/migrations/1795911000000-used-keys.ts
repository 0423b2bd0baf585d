import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Labels of former secrets, and when keys were used last. */
export class UsedKeys1795911000000 implements MigrationInterface {
  readonly name = 'UsedKeys1795911000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/used-keys.sql'));
    await runner.query(readSql('ledger/sql/post_holds_2.sql'));
    await runner.query(readSql('ledger/sql/post_counters_3.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function post_counters_3');
    await runner.query('drop function post_holds_2');
    await runner.query('alter table spending_windows drop column last_used_at');
    await runner.query('alter table api_key_secrets drop column label');
  }
}
