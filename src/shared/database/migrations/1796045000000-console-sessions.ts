import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Sessions of the console, and the links that sign in once. */
export class ConsoleSessions1796045000000 implements MigrationInterface {
  readonly name = 'ConsoleSessions1796045000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/console-sessions.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table console_links');
    await runner.query('drop table console_sessions');
  }
}
