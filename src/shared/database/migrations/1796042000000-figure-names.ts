import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Indexes by which names in figures are found. */
export class FigureNames1796042000000 implements MigrationInterface {
  readonly name = 'FigureNames1796042000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/figure-names.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index generation_figures_endpoints;
      drop index generation_figures_providers;
      drop index generation_figures_models`);
  }
}
