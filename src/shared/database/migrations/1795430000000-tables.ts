import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Files of `tables`, one for each module with tables: each refers only to tables of those before it. */
const FILES = ['accounts', 'keys', 'ledger', 'routing', 'workspaces', 'byok', 'guardrails', 'audit'];

/** Tables that these files create, in the order in which they can be dropped. */
const TABLES = [
  'audit_anchors',
  'audit_entries',
  'guardrail_assignments',
  'guardrails',
  'provider_credentials',
  'workspace_members',
  'route_decisions',
  'price_versions',
  'ledger_closings',
  'ledger_entries',
  'generations',
  'hold_epochs',
  'holds',
  'replicas',
  'credit_grants',
  'budgets',
  'spending_windows',
  'api_keys',
  'workspaces',
  'accounts',
];

/** Every table of the first release with its indexes, and the rules that keep the audit log append-only. */
export class Tables1795430000000 implements MigrationInterface {
  readonly name = 'Tables1795430000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const file of FILES) await runner.query(readSql(`shared/database/migrations/tables/${file}.sql`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table ${TABLES.join()}; drop function refuse_audit_change_1()`);
  }
}
