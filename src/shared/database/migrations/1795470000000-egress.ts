import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Egress rules of accounts and keys for tools, media and tool servers. */
export class Egress1795470000000 implements MigrationInterface {
  readonly name = 'Egress1795470000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/egress.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table api_keys drop column egress');
    await runner.query('alter table accounts drop column egress');
  }
}
