import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Holds also count a free request for its key, which may use half while other keys call. */
export class FairShares1795440000000 implements MigrationInterface {
  readonly name = 'FairShares1795440000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('ledger/sql/take_holds_2.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function take_holds_2; drop type hold_member_2');
  }
}
