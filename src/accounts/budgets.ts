import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { formatUsd, parseUsd, type PicoUsd } from '../core/money/credits.js';
import type { Interval } from '../core/time.js';

/** Whose spending a budget caps. */
export interface BudgetScope {
  readonly scope: 'workspace' | 'guardrail';
  /** Id of the workspace, or of a guardrail and whom it is for. */
  readonly scopeId: string;
}

/** A cap on what is spent within one interval. Spending counts from the moment a budget is there. */
export interface Budget extends BudgetScope {
  readonly interval: Interval;
  readonly limit: PicoUsd;
  /** What goes through the caller's own credentials counts as well, at list price. */
  readonly includesByok: boolean;
}

/** A budget that is there. */
export interface StoredBudget extends Budget {
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface BudgetRow {
  readonly interval: Interval;
  readonly limit_usd: string;
  readonly include_byok: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The statements over `budgets`. Holds are taken from their counters by the ledger, which reads them with each hold: a change is in force at once. */
@Injectable()
export class Budgets {
  /** Makes it, or changes what is there. */
  async set(manager: EntityManager, accountId: string, budget: Budget): Promise<void> {
    await manager.query(
      `INSERT INTO budgets (account_id, scope, scope_id, interval, limit_usd, include_byok) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (scope, scope_id, interval) DO UPDATE
         SET limit_usd = excluded.limit_usd, include_byok = excluded.include_byok, updated_at = now() WHERE budgets.account_id = $1`,
      [accountId, budget.scope, budget.scopeId, budget.interval, formatUsd(budget.limit), budget.includesByok],
    );
  }

  /** @param interval all of them where it is left out */
  async remove(
    manager: EntityManager,
    accountId: string,
    { scope, scopeId }: BudgetScope,
    interval?: Interval,
  ): Promise<void> {
    await manager.query(
      `DELETE FROM budgets WHERE account_id = $1 AND scope = $2 AND scope_id = $3 AND ($4::text IS NULL OR interval = $4)`,
      [accountId, scope, scopeId, interval ?? null],
    );
  }

  async list(
    manager: EntityManager,
    accountId: string,
    { scope, scopeId }: BudgetScope,
  ): Promise<readonly StoredBudget[]> {
    const rows = await manager.query<BudgetRow[]>(
      `SELECT interval, limit_usd, include_byok, created_at, updated_at FROM budgets WHERE account_id = $1 AND scope = $2 AND scope_id = $3
       ORDER BY array_position(array['daily', 'weekly', 'monthly', 'lifetime'], interval)`,
      [accountId, scope, scopeId],
    );
    return rows.map((row) => ({
      scope,
      scopeId,
      interval: row.interval,
      limit: parseUsd(row.limit_usd)!,
      includesByok: row.include_byok,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    }));
  }
}
