import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Routing decisions of models that were consulted for a request. */
export class ConsultedDecisions1795697000000 implements MigrationInterface {
  readonly name = 'ConsultedDecisions1795697000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/consulted-decisions.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table consulted_decisions');
  }
}
