import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

const FUNCTIONS = [
  'raised_1',
  'budget_of_1',
  'counter_rank_2',
  'take_holds_4',
  'take_holds_5',
  'hold_further_2',
  'cover_charges_2',
  'restore_holds_2',
  'settle_generations_2',
  'post_counters_4',
  'remove_idle_counters_1',
] as const;

/** Budgets of users, members and tags, and temporary raises. */
export class SubjectBudgets1796010100000 implements MigrationInterface {
  readonly name = 'SubjectBudgets1796010100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/subject-budgets.sql'));
    for (const name of FUNCTIONS) await runner.query(readSql(`ledger/sql/${name}.sql`));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of FUNCTIONS.toReversed()) await runner.query(`drop function ${name}`);
    await runner.query(`
      drop type hold_claim_4;
      drop type hold_member_4;
      drop index spending_windows_of_subjects;
      drop index budgets_of_subjects;
      alter table api_keys drop column raised_until;
      alter table api_keys drop column raised_usd;
      alter table budgets drop column raised_until;
      alter table budgets drop column raised_usd;
      delete from budgets where subject is not null;
      alter table budgets drop column subject`);
  }
}
