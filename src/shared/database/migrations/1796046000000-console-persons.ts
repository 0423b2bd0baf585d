import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Sessions of the console without a key: of those who sign in by an issuer. */
export class ConsolePersons1796046000000 implements MigrationInterface {
  readonly name = 'ConsolePersons1796046000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/console-persons.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('delete from console_sessions where key_hash is null');
    await runner.query('drop index console_sessions_sign_in');
    await runner.query(
      `alter table console_sessions drop constraint console_sessions_owner_check, drop column sign_in,
         drop column person, drop column person_id, alter column secret_hash set not null,
         alter column key_hash set not null`,
    );
  }
}
