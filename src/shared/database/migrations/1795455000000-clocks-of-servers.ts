import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Each calls only those before it. */
const FUNCTIONS = ['hold_epoch_2', 'beat_2'];

/** Beats by the clock of another server are converted to this one's (docs/contribute/decisions/0038). */
export class ClocksOfServers1795455000000 implements MigrationInterface {
  readonly name = 'ClocksOfServers1795455000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FUNCTIONS.map((name) => readSql(`ledger/sql/${name}.sql`)).join('\n'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function ${FUNCTIONS.join()}`);
  }
}
