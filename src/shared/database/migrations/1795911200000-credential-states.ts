import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Whether provider credentials work, by the last call with each. */
export class CredentialStates1795911200000 implements MigrationInterface {
  readonly name = 'CredentialStates1795911200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/credential-states.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table provider_credentials drop column status, drop column status_reason, drop column status_at',
    );
  }
}
