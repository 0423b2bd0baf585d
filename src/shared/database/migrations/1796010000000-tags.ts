import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Tags of generations, keys and workspaces. */
export class Tags1796010000000 implements MigrationInterface {
  readonly name = 'Tags1796010000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/tags.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table workspaces drop column required_tags;
      alter table workspaces drop column tags;
      alter table api_keys drop column tags;
      alter table generations drop column tags`);
  }
}
