import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Holds that count a free request for its key too, of which one has half while others call. */
export class FairShares1795440000000 implements MigrationInterface {
  readonly name = 'FairShares1795440000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('ledger/sql/take_holds_2.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function take_holds_2; drop type hold_member_2');
  }
}
