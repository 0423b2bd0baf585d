import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Files of `ledger/sql`: each calls only those before it. */
const FUNCTIONS = ['post_holds_2', 'post_counters_1'];

const kinds = (list: string): string =>
  `alter table credit_grants drop constraint credit_grants_kind_check,
     add constraint credit_grants_kind_check check (kind in (${list}))`;

/** Refusals that are true (docs/decisions/0038), and credits that are taken back. */
export class TrueRefusals1795417800000 implements MigrationInterface {
  readonly name = 'TrueRefusals1795417800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FUNCTIONS.map((name) => readSql(`ledger/sql/${name}.sql`)).join('\n'));
    await runner.query(kinds(`'grant', 'purchase', 'adjustment', 'refund'`));
  }

  /** Fails where refunds were entered: the release before could not read them. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(kinds(`'grant', 'purchase', 'adjustment'`));
    await runner.query(`drop function ${FUNCTIONS.join()}`);
  }
}
