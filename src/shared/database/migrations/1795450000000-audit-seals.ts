import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Seals of the audit log, and the data keys that protect them. */
export class AuditSeals1795450000000 implements MigrationInterface {
  readonly name = 'AuditSeals1795450000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/audit-seals.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table audit_anchors drop column was_sealed, drop column seal, drop column seal_key;
      alter table audit_entries drop column seal, drop column seal_key;
      drop table data_keys`);
  }
}
