import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Presets, their versions, and the preset of a generation. */
export class Presets1796060000000 implements MigrationInterface {
  readonly name = 'Presets1796060000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/presets.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table generations drop column preset_id');
    await runner.query('drop table preset_versions');
    await runner.query('drop table presets');
  }
}
