import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Generations can be found by the id of their request. */
export class RequestIds1795911100000 implements MigrationInterface {
  readonly name = 'RequestIds1795911100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/request-ids.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table generations drop column request_id');
  }
}
