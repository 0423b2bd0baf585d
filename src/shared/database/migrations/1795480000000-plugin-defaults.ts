import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** What accounts and workspaces have plugins do where a request says nothing of them. */
export class PluginDefaults1795480000000 implements MigrationInterface {
  readonly name = 'PluginDefaults1795480000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/plugin-defaults.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table workspaces drop column plugins');
    await runner.query('alter table accounts drop column plugins');
  }
}
