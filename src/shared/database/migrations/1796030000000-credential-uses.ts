import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** When provider credentials were used and refused last. */
export class CredentialUses1796030000000 implements MigrationInterface {
  readonly name = 'CredentialUses1796030000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/credential-uses.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table provider_credentials drop column last_used_at, drop column last_refusal, drop column last_refused_at',
    );
  }
}
