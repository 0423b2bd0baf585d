import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Files of `ledger/sql`: each calls only those before it. */
const FUNCTIONS = [
  'hold_further_1',
  'cover_charges_1',
  'take_holds_2',
  'settle_generations_2',
  'restore_holds_1',
  'hold_epoch_1',
  'complete_epoch_1',
  'beat_1',
];

/** Holds that outlive a crash of the database and a pause of their replica (docs/decisions/0039). */
export class DurableHolds1795400390000 implements MigrationInterface {
  readonly name = 'DurableHolds1795400390000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/hold-epochs.sql'));
    await runner.query(FUNCTIONS.map((name) => readSql(`ledger/sql/${name}.sql`)).join('\n'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function ${FUNCTIONS.join()}`);
    await runner.query(`drop table hold_epochs`);
    await runner.query(`alter table replicas drop column epoch; alter table holds drop column deadline_at`);
  }
}
