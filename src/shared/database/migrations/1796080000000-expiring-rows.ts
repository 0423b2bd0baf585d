import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Events expire as kept replies do, and the newest of an owner are found by an index. */
export class ExpiringRows1796080000000 implements MigrationInterface {
  readonly name = 'ExpiringRows1796080000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/expiring-rows.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index kept_replies_contents');
    await runner.query('alter table outbox_events drop column expires_at');
  }
}
