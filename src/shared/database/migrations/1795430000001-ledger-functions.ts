import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Files of `ledger/sql`, one function each: each calls only those before it. */
const FUNCTIONS = [
  'window_start_of',
  'counters_of_1',
  'counter_rank_1',
  'free_requests_a_day_1',
  'ensure_month_1',
  'take_holds_1',
  'hold_further_1',
  'cover_charges_1',
  'settle_generations_1',
  'post_holds_1',
  'post_counters_1',
  'restore_holds_1',
  'hold_epoch_1',
  'complete_epoch_1',
  'beat_1',
];

/**
 * The functions of the ledger (docs/contribute/decisions/0016), and the partitions of the first months. A released
 * function never changes: a changed one is another file with the next number, created by a separate migration,
 * because replicas of the previous release continue to use theirs.
 */
export class LedgerFunctions1795430000001 implements MigrationInterface {
  readonly name = 'LedgerFunctions1795430000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FUNCTIONS.map((name) => readSql(`ledger/sql/${name}.sql`)).join('\n'));
    await runner.query(`select ensure_month_1(now() + month * interval '1 month') from generate_series(0, 2) as month`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function ${FUNCTIONS.join()}; drop type hold_claim, hold_member`);
  }
}
