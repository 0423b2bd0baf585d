import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Budgets, type Budget, type BudgetScope } from '../accounts/budgets.js';
import type { WorkspaceEntity } from '../accounts/workspace.entity.js';
import { AuditLog } from '../audit/audit-log.js';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { formatUsd, usdNumber, type PicoUsd } from '../core/money/credits.js';
import { Clock, INTERVALS, type Interval } from '../core/time.js';
import { SpendingWindows } from '../ledger/spending-windows.js';
import { viewBudget, type BudgetView } from './budget-view.js';
import { Workspaces } from './workspaces.js';
import { WorkspacesRepository } from './workspaces.repository.js';

/** The budgets of a workspace, the shortest interval first. */
export interface StandingBudgets {
  readonly budgets: readonly BudgetView[];
  readonly includesByok: boolean;
}

/** What a budget is to be. */
export interface BudgetWish {
  readonly interval: Interval;
  readonly limit: PicoUsd;
  /** For all budgets of the workspace; undefined leaves it as it is. */
  readonly includesByok: boolean | undefined;
}

/** The budgets of workspaces and every change of them. Holds read them themselves: a change is in force at once, everywhere. */
@Injectable()
export class WorkspaceBudgets {
  constructor(
    private readonly database: DataSource,
    private readonly workspaces: Workspaces,
    private readonly statements: WorkspacesRepository,
    private readonly budgets: Budgets,
    private readonly windows: SpendingWindows,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws GatewayError `not-found` */
  async list(accountId: string, reference: string): Promise<StandingBudgets> {
    const workspace = await this.workspaces.get(accountId, reference);
    const budgets = await this.budgets.list(this.database.manager, accountId, scopeOf(workspace));
    const spending = await this.windows.ofWorkspace(accountId, workspace.id);
    const now = this.clock.now();
    return {
      budgets: budgets.map((budget) => viewBudget(budget, workspace, spending, now)),
      includesByok: workspace.includeByokInBudgets,
    };
  }

  /**
   * Makes it, or changes what is there.
   * @throws GatewayError `not-found`; `invalid-request` when the limit of a shorter interval would not be below that of a longer one
   */
  async set(caller: Caller, reference: string, wish: BudgetWish): Promise<void> {
    const { accountId } = caller;
    await this.workspaces.within(caller, reference, async (manager, workspace, at) => {
      const standing = await this.budgets.list(manager, accountId, scopeOf(workspace));
      assertInOrder(wish, standing);
      const includesByok = wish.includesByok ?? workspace.includeByokInBudgets;
      const before = standing.find(({ interval }) => interval === wish.interval);
      const isFlagKept = includesByok === workspace.includeByokInBudgets;
      if (isFlagKept && before?.limit === wish.limit && before.includesByok === includesByok) return;
      const budget: Budget = { ...scopeOf(workspace), interval: wish.interval, limit: wish.limit, includesByok };
      const others = standing.filter((other) => other !== before && other.includesByok !== includesByok);
      for (const changed of [budget, ...others.map((other) => ({ ...other, includesByok }))])
        await this.budgets.set(manager, accountId, changed);
      await this.statements.change(manager, workspace, { includeByokInBudgets: includesByok }, at);
      await this.audit.record(manager, caller, {
        action: 'workspace.budget.set',
        target: workspace.id,
        workspaceId: workspace.id,
        before: before && { ...printed(before), include_byok_in_budgets: workspace.includeByokInBudgets },
        after: printed(budget),
      });
    });
  }

  /**
   * Removes it where it is there.
   * @throws GatewayError `not-found` for the workspace
   */
  async remove(caller: Caller, reference: string, interval: Interval): Promise<void> {
    const { accountId } = caller;
    await this.workspaces.within(caller, reference, async (manager, workspace, at) => {
      const standing = await this.budgets.list(manager, accountId, scopeOf(workspace));
      const before = standing.find((budget) => budget.interval === interval);
      if (!before) return;
      await this.budgets.remove(manager, accountId, scopeOf(workspace), interval);
      await this.statements.change(manager, workspace, {}, at);
      await this.audit.record(manager, caller, {
        action: 'workspace.budget.remove',
        target: workspace.id,
        workspaceId: workspace.id,
        before: printed(before),
      });
    });
  }
}

const scopeOf = ({ id }: WorkspaceEntity): BudgetScope => ({ scope: 'workspace', scopeId: id });

/** For the log: without figures, which change by themselves. */
const printed = ({ interval, limit, includesByok }: Budget): object => ({
  interval,
  limit_usd: usdNumber(limit),
  include_byok_in_budgets: includesByok,
});

/** A budget that a longer one always stops first would never be felt (WIRE 2.8). */
function assertInOrder({ interval, limit }: BudgetWish, standing: readonly Budget[]): void {
  const place = INTERVALS.indexOf(interval);
  for (const other of standing) {
    const otherPlace = INTERVALS.indexOf(other.interval);
    const isInOrder = otherPlace === place || (otherPlace > place ? limit < other.limit : limit > other.limit);
    if (isInOrder) continue;
    const relation = otherPlace > place ? 'below' : 'above';
    throw new GatewayError(
      'invalid-request',
      `limit_usd: must be ${relation} the ${other.interval} limit of ${formatUsd(other.limit)} USD: a shorter interval has a smaller limit`,
    );
  }
}
