import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Sums of generations by hours and days. */
export class Figures1796000000000 implements MigrationInterface {
  readonly name = 'Figures1796000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/figures.sql'));
    await runner.query(readSql('ledger/sql/mark_changed_hours_1.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger holds_mark_changed_hours on holds;
      drop function mark_changed_hours_1;
      drop table figure_changes, figure_progress, generation_figures;
      alter table generations drop column dialect`);
  }
}
