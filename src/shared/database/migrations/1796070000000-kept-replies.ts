import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Tables of kept replies. */
export class KeptReplies1796070000000 implements MigrationInterface {
  readonly name = 'KeptReplies1796070000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/kept-replies.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table generations drop column response_cache_source_id');
    await runner.query('drop table kept_reply_parts');
    await runner.query('drop table kept_replies');
  }
}
