import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/**
 * The amount of a hold so far is written at each step of a tool loop: by a function, whose statement is planned once
 * per session, and into its row, because past two kilobytes it would be moved to another table each time.
 */
export class NotesOfHolds1795696000000 implements MigrationInterface {
  readonly name = 'NotesOfHolds1795696000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table holds alter column observed set storage main');
    await runner.query(readSql('ledger/sql/note_hold_1.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function note_hold_1');
    await runner.query('alter table holds alter column observed set storage extended');
  }
}
