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

const COLUMNS = 'interval, limit_usd, include_byok, created_at, updated_at';

/**
 * The statements over `budgets`. Holds are taken from their counters by the ledger, which reads them with each hold: a
 * change is in force at once.
 */
@Injectable()
export class Budgets {
  /** Makes it, or changes what is there. @returns it as it is stored */
  async set(manager: EntityManager, accountId: string, budget: Budget): Promise<StoredBudget> {
    const { scope, scopeId, interval, limit, includesByok } = budget;
    const [row] = await manager.query<BudgetRow[]>(
      `INSERT INTO budgets (account_id, scope, scope_id, interval, limit_usd, include_byok) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (scope, scope_id, interval) DO UPDATE
         SET limit_usd = excluded.limit_usd, include_byok = excluded.include_byok, updated_at = now() WHERE budgets.account_id = $1
       RETURNING ${COLUMNS}`,
      [accountId, scope, scopeId, interval, formatUsd(limit), includesByok],
    );
    return readBudget(budget, row!);
  }

  /**
   * @param interval all of them where it is left out
   * @returns those that were there
   */
  async remove(
    manager: EntityManager,
    accountId: string,
    of: BudgetScope,
    interval?: Interval,
  ): Promise<readonly StoredBudget[]> {
    const [rows] = await manager.query<[BudgetRow[], number]>(
      `DELETE FROM budgets WHERE account_id = $1 AND scope = $2 AND scope_id = $3 AND ($4::text IS NULL OR interval = $4)
       RETURNING ${COLUMNS}`,
      [accountId, of.scope, of.scopeId, interval ?? null],
    );
    return rows.map((row) => readBudget(of, row));
  }

  async list(manager: EntityManager, accountId: string, of: BudgetScope): Promise<readonly StoredBudget[]> {
    const rows = await manager.query<BudgetRow[]>(
      `SELECT ${COLUMNS} FROM budgets WHERE account_id = $1 AND scope = $2 AND scope_id = $3
       ORDER BY array_position(array['daily', 'weekly', 'monthly', 'lifetime'], interval)`,
      [accountId, of.scope, of.scopeId],
    );
    return rows.map((row) => readBudget(of, row));
  }
}

const readBudget = ({ scope, scopeId }: BudgetScope, row: BudgetRow): StoredBudget => ({
  scope,
  scopeId,
  interval: row.interval,
  limit: parseUsd(row.limit_usd)!,
  includesByok: row.include_byok,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
