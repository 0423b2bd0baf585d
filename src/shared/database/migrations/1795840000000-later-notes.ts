import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

const FUNCTIONS = ['beat_4', 'note_hold_2', 'take_holds_3'] as const;

/**
 * The latest note of a hold wins, in any order of arrival; and holds are made further ahead only where enough stays
 * free.
 */
export class LaterNotes1795840000000 implements MigrationInterface {
  readonly name = 'LaterNotes1795840000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const name of FUNCTIONS) await runner.query(readSql(`ledger/sql/${name}.sql`));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of FUNCTIONS) await runner.query(`drop function ${name}`);
  }
}
