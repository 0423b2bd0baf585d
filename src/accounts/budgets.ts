import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { GatewayError } from '../core/errors.js';
import { formatUsd, parseUsd, type PicoUsd } from '../core/money/credits.js';
import { INTERVALS, type Interval } from '../core/time.js';
import { positionOfLast } from '../shared/database/newest-first.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';
import type { SubjectScope } from './budget-subjects.js';

/** The owner of the spending that a budget caps. */
export interface BudgetScope {
  readonly scope: 'workspace' | 'guardrail' | SubjectScope;
  /** Id of the workspace, of a guardrail and its subject, or of a `BudgetSubject`. */
  readonly scopeId: string;
}

/** A cap on spending within one interval. Spending counts from the moment the budget exists. */
export interface Budget extends BudgetScope {
  readonly interval: Interval;
  readonly limit: PicoUsd;
  /** Calls with the caller's own credentials count as well, at list price. */
  readonly includesByok: boolean;
}

/** A higher limit until a moment, in addition to a limit. */
export interface Raise {
  readonly amount: PicoUsd;
  readonly until: Date;
}

/** An existing budget. */
export interface StoredBudget extends Budget {
  /** The latest raise, possibly ended; null if there was none. */
  readonly raise: Raise | null;
  /** Id of its user, member or tag; null for workspaces and guardrails. */
  readonly subject: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface BudgetRow {
  readonly scope: BudgetScope['scope'];
  readonly scope_id: string;
  readonly subject: string | null;
  readonly interval: Interval;
  readonly limit_usd: string;
  readonly raised_usd: string | null;
  readonly raised_until: Date | null;
  readonly include_byok: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS =
  'scope, scope_id, subject, interval, limit_usd, include_byok, raised_usd, raised_until, created_at, updated_at';

/**
 * The statements over `budgets`. The ledger reads them with each hold, so a change is in force at once.
 */
@Injectable()
export class Budgets {
  /** Inserts or updates it. @returns it as it is stored */
  async set(
    manager: EntityManager,
    accountId: string,
    budget: Budget & { readonly subject?: string | null },
  ): Promise<StoredBudget> {
    const { scope, scopeId, interval, limit, includesByok, subject = null } = budget;
    const [row] = await manager.query<BudgetRow[]>(
      `INSERT INTO budgets (account_id, scope, scope_id, interval, limit_usd, include_byok, subject)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (scope, scope_id, interval) DO UPDATE
         SET limit_usd = excluded.limit_usd, include_byok = excluded.include_byok, updated_at = now() WHERE budgets.account_id = $1
       RETURNING ${COLUMNS}`,
      [accountId, scope, scopeId, interval, formatUsd(limit), includesByok, subject],
    );
    return readBudget(row!);
  }

  /** Raises it until a moment, replacing an earlier raise. @returns undefined where there is no such budget */
  async raise(
    manager: EntityManager,
    accountId: string,
    { scope, scopeId, interval }: BudgetScope & Pick<Budget, 'interval'>,
    { amount, until }: Raise,
  ): Promise<StoredBudget | undefined> {
    const [rows] = await manager.query<[BudgetRow[], number]>(
      `UPDATE budgets SET raised_usd = $5, raised_until = $6, updated_at = now()
       WHERE account_id = $1 AND scope = $2 AND scope_id = $3 AND interval = $4 RETURNING ${COLUMNS}`,
      [accountId, scope, scopeId, interval, formatUsd(amount), until],
    );
    return rows[0] && readBudget(rows[0]);
  }

  /**
   * Budgets of users, members and tags, the latest changed first, with their number.
   * @param of undefined fields filter nothing
   */
  async listOfSubjects(
    manager: EntityManager,
    accountId: string,
    of: Partial<BudgetScope>,
    { offset, limit, after }: Page,
  ): Promise<ListPart<StoredBudget>> {
    const wanted = `FROM budgets WHERE account_id = $1 AND scope IN ('users', 'members', 'tags')
       AND ($2::text IS NULL OR scope = $2) AND ($3::text IS NULL OR scope_id = $3)`;
    const filters = [accountId, of.scope ?? null, of.scopeId ?? null];
    const rows = await manager.query<BudgetRow[]>(
      `SELECT ${COLUMNS} ${wanted}
       ${after ? 'AND updated_at <= $6 AND (updated_at < $6 OR (scope, scope_id, interval) > ($7, $8, $9))' : ''}
       ORDER BY updated_at DESC, scope, scope_id, interval OFFSET $4 LIMIT $5`,
      [...filters, after ? 0 : offset, limit, ...(after ? [after.at, ...after.ids] : [])],
    );
    const [counted] = after
      ? []
      : await manager.query<{ total: number }[]>(`SELECT count(*)::int AS total ${wanted}`, filters);
    const last = positionOfLast(rows, ({ updated_at: at, scope, scope_id: id, interval }) => ({
      at,
      ids: [scope, id, interval],
    }));
    return [rows.map(readBudget), counted?.total ?? 0, last];
  }

  /**
   * @param interval all of them where it is absent
   * @returns those that existed
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
    return rows.map(readBudget);
  }

  async list(manager: EntityManager, accountId: string, of: BudgetScope): Promise<readonly StoredBudget[]> {
    const rows = await manager.query<BudgetRow[]>(
      `SELECT ${COLUMNS} FROM budgets WHERE account_id = $1 AND scope = $2 AND scope_id = $3
       ORDER BY array_position(array['daily', 'weekly', 'monthly', 'lifetime'], interval)`,
      [accountId, of.scope, of.scopeId],
    );
    return rows.map(readBudget);
  }
}

/** A budget that a longer one always reaches first would have no effect (docs/operate/workspaces.md#budgets). */
export function assertInOrder(
  { interval, limit }: Pick<Budget, 'interval' | 'limit'>,
  standing: readonly Budget[],
): void {
  const index = INTERVALS.indexOf(interval);
  for (const budget of standing) {
    const otherIndex = INTERVALS.indexOf(budget.interval);
    const isInOrder = otherIndex === index || (otherIndex > index ? limit < budget.limit : limit > budget.limit);
    if (isInOrder) continue;
    const relation = otherIndex > index ? 'below' : 'above';
    throw new GatewayError(
      'invalid-request',
      `limit_usd: must be ${relation} the ${budget.interval} limit of ${formatUsd(budget.limit)} USD: a shorter interval has a smaller limit`,
    );
  }
}

/** Limit of a budget including a raise that has not ended. @param at Unix time in milliseconds */
export const raisedLimit = (limit: PicoUsd, raise: Raise | null, at: number): PicoUsd =>
  raise && raise.until.getTime() > at ? limit + raise.amount : limit;

const readBudget = (row: BudgetRow): StoredBudget => ({
  scope: row.scope,
  scopeId: row.scope_id,
  subject: row.subject,
  raise:
    row.raised_usd !== null && row.raised_until ? { amount: parseUsd(row.raised_usd)!, until: row.raised_until } : null,
  interval: row.interval,
  limit: parseUsd(row.limit_usd)!,
  includesByok: row.include_byok,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
