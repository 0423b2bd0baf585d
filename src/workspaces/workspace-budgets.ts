import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { assertInOrder, Budgets, type StoredBudget } from '../accounts/budgets.js';
import type { WorkspaceEntity } from '../accounts/workspace.entity.js';
import type { Caller, Reach } from '../core/caller.js';
import type { PicoUsd } from '../core/money/credits.js';
import { Clock, type Interval } from '../core/time.js';
import { SpendingWindows } from '../ledger/spending-windows.js';
import { viewBudget, type BudgetView } from './budget-view.js';
import { budgetSet, budgetsRemoved, scopeOf, WorkspacesService } from './workspaces.service.js';
import { WorkspacesRepository } from './workspaces.repository.js';

/** Budgets of a workspace, the shortest interval first. */
export interface BudgetList {
  readonly budgets: readonly BudgetView[];
  readonly includesByok: boolean;
}

/** The settings of a budget. */
export interface BudgetSettings {
  readonly interval: Interval;
  readonly limit: PicoUsd;
  /** For all budgets of the workspace; undefined leaves it as it is. */
  readonly includesByok: boolean | undefined;
}

/**
 * The budgets of workspaces and every change of them. Holds read them from the store, so a change is in force at once,
 * everywhere.
 */
@Injectable()
export class WorkspaceBudgets {
  constructor(
    private readonly database: DataSource,
    private readonly workspaces: WorkspacesService,
    private readonly statements: WorkspacesRepository,
    private readonly budgets: Budgets,
    private readonly windows: SpendingWindows,
    private readonly clock: Clock,
  ) {}

  /** @throws GatewayError `not-found` */
  async list(reach: Reach, reference: string): Promise<BudgetList> {
    const workspace = await this.workspaces.get(reach, reference);
    return this.view(workspace, await this.budgets.list(this.database.manager, reach.accountId, scopeOf(workspace)));
  }

  /**
   * Inserts or updates it.
   * @returns the one that was set
   * @throws GatewayError `not-found`; `invalid-request` when the limit of a shorter interval would not be below that of
   *   a longer one
   */
  async set(caller: Caller, reference: string, settings: BudgetSettings): Promise<BudgetList> {
    const { accountId } = caller;
    const { workspace, budget } = await this.workspaces.within(caller, reference, async (manager, workspace, at) => {
      const standing = await this.budgets.list(manager, accountId, scopeOf(workspace));
      assertInOrder(settings, standing);
      const includesByok = settings.includesByok ?? workspace.includeByokInBudgets;
      const before = standing.find(({ interval }) => interval === settings.interval);
      const isFlagKept = includesByok === workspace.includeByokInBudgets;
      if (isFlagKept && before?.limit === settings.limit && before.includesByok === includesByok)
        return { result: { workspace, budget: before }, entries: [] };
      const { interval, limit } = settings;
      const budget = await this.budgets.set(manager, accountId, {
        ...scopeOf(workspace),
        interval,
        limit,
        includesByok,
      });
      const changed = await this.statements.change(manager, workspace, { includeByokInBudgets: includesByok }, at);
      const others = standing.filter((candidate) => candidate !== before);
      const aligned = await this.workspaces.alignBudgets(manager, changed, others);
      return { result: { workspace: changed, budget }, entries: [budgetSet(changed, before, budget), ...aligned] };
    });
    return this.view(workspace, [budget]);
  }

  /**
   * Removes it if it exists.
   * @throws GatewayError `not-found` for the workspace
   */
  async remove(caller: Caller, reference: string, interval: Interval): Promise<void> {
    const { accountId } = caller;
    await this.workspaces.within(caller, reference, async (manager, workspace, at) => {
      const removed = await this.budgets.remove(manager, accountId, scopeOf(workspace), interval);
      if (removed.length > 0) await this.statements.change(manager, workspace, {}, at);
      return { result: undefined, entries: budgetsRemoved(workspace, removed) };
    });
  }

  private async view(workspace: WorkspaceEntity, budgets: readonly StoredBudget[]): Promise<BudgetList> {
    const spending = await this.windows.ofWorkspace(workspace.accountId, workspace.id);
    const now = this.clock.now();
    return {
      budgets: budgets.map((budget) => viewBudget(budget, workspace, spending, now)),
      includesByok: workspace.includeByokInBudgets,
    };
  }
}
