import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** The index by which failures of a kind are listed. */
export class OutcomeIndex1796062000000 implements MigrationInterface {
  readonly name = 'OutcomeIndex1796062000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/outcome-index.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index generations_by_outcome;
      create index generations_failed on only generations (account_id, held_at) where outcome <> 'completed'`);
  }
}
