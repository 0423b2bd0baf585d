import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Defaults of plugins for accounts and workspaces, where a request sets none. */
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
