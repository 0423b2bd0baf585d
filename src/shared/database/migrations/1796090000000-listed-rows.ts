import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Indexes in the order of lists that may be long: each part of an export begins behind the one before. */
export class ListedRows1796090000000 implements MigrationInterface {
  readonly name = 'ListedRows1796090000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/listed-rows.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index workspace_members_newest, guardrail_assignments_newest, budgets_newest');
  }
}
