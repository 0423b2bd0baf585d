import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Secrets of rotated keys, and the limits of keys: rates and models. */
export class KeySecrets1795487200000 implements MigrationInterface {
  readonly name = 'KeySecrets1795487200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/key-secrets.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table api_key_secrets');
    await runner.query('alter table api_keys drop column allowed_models');
    await runner.query('alter table api_keys drop column rate_limits');
  }
}
