import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Management keys that are bound to a workspace. */
export class BoundKeys1796041000000 implements MigrationInterface {
  readonly name = 'BoundKeys1796041000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/bound-keys.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table api_keys drop column is_workspace_bound');
  }
}
