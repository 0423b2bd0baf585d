import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Statements of closed months, and what is entered into such a month afterwards. */
export class Statements1796040000000 implements MigrationInterface {
  readonly name = 'Statements1796040000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/statements.sql'));
    await runner.query(readSql('ledger/sql/mark_changed_hours_2.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create or replace trigger holds_mark_changed_hours after delete on holds
        referencing old table as gone for each statement execute function mark_changed_hours_1();
      drop function mark_changed_hours_2;
      drop table statement_lines, statements, late_entries;
      alter table figure_progress drop column closed_until`);
  }
}
