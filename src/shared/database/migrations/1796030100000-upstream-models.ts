import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** The names of models at their providers, for the comparison with invoices. */
export class UpstreamModels1796030100000 implements MigrationInterface {
  readonly name = 'UpstreamModels1796030100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/upstream-models.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table generations drop column upstream_model');
  }
}
