import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Beats lock holds in the same order as all other statements. */
export class BeatsInOrder1795823000000 implements MigrationInterface {
  readonly name = 'BeatsInOrder1795823000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('ledger/sql/beat_3.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function beat_3');
  }
}
