import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { subjectOf, type BudgetSubject, type SubjectScope } from '../accounts/budget-subjects.js';
import { assertInOrder, Budgets, type BudgetScope, type Raise, type StoredBudget } from '../accounts/budgets.js';
import { RoutingPolicies } from '../accounts/routing-policies.js';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import type { PicoUsd } from '../core/money/credits.js';
import { shortened } from '../core/shortened.js';
import { Clock, type Interval } from '../core/time.js';
import { NO_SPENDING, SpendingWindows } from '../ledger/spending-windows.js';
import { ManagedChanges, type ManagedChange } from '../management/managed-changes.js';
import { ManagedKind } from '../management/managed-kind.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';
import { viewSubjectBudget, viewSubjectBudgetTerms, type SubjectBudgetView } from './subject-budget-view.js';

/** Budgets as the log shows them. */
const BUDGET = new ManagedKind<StoredBudget>('budget', (budget) => ({
  target: `${budget.scope}:${shortened(budget.subject ?? '')}:${budget.interval}`,
  view: viewSubjectBudgetTerms(budget),
}));

/**
 * The budgets of users, members and tags, and every change of them. Holds read limits from the store: a change is in
 * force at once, everywhere; only the first budget of a scope takes up to five seconds at other replicas.
 */
@Injectable()
export class SubjectBudgets {
  constructor(
    private readonly database: DataSource,
    private readonly budgets: Budgets,
    private readonly windows: SpendingWindows,
    private readonly policies: RoutingPolicies,
    private readonly changes: ManagedChanges,
    private readonly clock: Clock,
  ) {}

  /** The latest changed first, with their number. @param of undefined fields filter nothing */
  async list(accountId: string, of: Partial<BudgetScope>, page: Page): Promise<ListPart<SubjectBudgetView>> {
    const [found, total, last] = await this.budgets.listOfSubjects(this.database.manager, accountId, of, page);
    return [await this.view(accountId, found), total, last];
  }

  /** @throws GatewayError `not-found` */
  async get(accountId: string, subject: BudgetSubject, interval: Interval): Promise<SubjectBudgetView> {
    const standing = await this.budgets.list(this.database.manager, accountId, subject);
    const budget = standing.find((candidate) => candidate.interval === interval);
    if (!budget) throw noSuchBudget(subject, interval);
    return this.viewOne(accountId, budget);
  }

  /** @throws GatewayError `invalid-request` unless shorter intervals have smaller limits */
  async set(caller: Caller, subject: BudgetSubject, interval: Interval, limit: PicoUsd): Promise<SubjectBudgetView> {
    const budget = await this.change(caller, subject, interval, async (manager, standing, before) => {
      assertInOrder({ interval, limit }, standing);
      if (before?.limit === limit) return { result: before, entries: [] };
      const after = await this.budgets.set(manager, caller.accountId, {
        ...subject,
        subject: subject.id,
        interval,
        limit,
        includesByok: false,
      });
      return { result: after, entries: [setEntry(before, after)] };
    });
    return this.viewOne(caller.accountId, budget);
  }

  /** Raises it until a moment. @throws GatewayError `not-found` */
  async raise(caller: Caller, subject: BudgetSubject, interval: Interval, raise: Raise): Promise<SubjectBudgetView> {
    const budget = await this.change(caller, subject, interval, async (manager, _standing, before) => {
      if (!before) throw noSuchBudget(subject, interval);
      const after = await this.budgets.raise(manager, caller.accountId, before, raise);
      const states = { before: viewSubjectBudgetTerms(before), after: viewSubjectBudgetTerms(after!) };
      return { result: after!, entries: [BUDGET.entry('raise', after!, states)] };
    });
    return this.viewOne(caller.accountId, budget);
  }

  /** Removes it if it exists: from then on the default counts, if there is one. */
  async remove(caller: Caller, subject: BudgetSubject, interval: Interval): Promise<void> {
    await this.change(caller, subject, interval, async (manager) => {
      const removed = await this.budgets.remove(manager, caller.accountId, subject, interval);
      const entries = removed.map((budget) =>
        BUDGET.entry('remove', budget, { before: viewSubjectBudgetTerms(budget) }),
      );
      return { result: undefined, entries };
    });
  }

  private async change<Result>(
    caller: Caller,
    subject: BudgetSubject,
    interval: Interval,
    work: (
      manager: EntityManager,
      standing: readonly StoredBudget[],
      before: StoredBudget | undefined,
    ) => Promise<ManagedChange<Result>>,
  ): Promise<Result> {
    const { accountId } = caller;
    return this.changes.run(caller, async (manager) => {
      // One change of an account's budgets at a time: intervals are compared with each other.
      await manager.query('SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
      const standing = await this.budgets.list(manager, accountId, subject);
      const change = await work(
        manager,
        standing,
        standing.find((budget) => budget.interval === interval),
      );
      return { ...change, forget: () => this.policies.forgetAll() };
    });
  }

  private async viewOne(accountId: string, budget: StoredBudget): Promise<SubjectBudgetView> {
    const [view] = await this.view(accountId, [budget]);
    return view!;
  }

  private async view(accountId: string, budgets: readonly StoredBudget[]): Promise<readonly SubjectBudgetView[]> {
    const scopes = [...new Set(budgets.map(({ scope }) => scope as SubjectScope))];
    const spent = new Map(
      await Promise.all(
        scopes.map(async (scope) => {
          const ids = budgets.filter((budget) => budget.scope === scope).map(({ scopeId }) => scopeId);
          return [scope, await this.windows.ofSubjects(accountId, scope, ids)] as const;
        }),
      ),
    );
    const now = this.clock.now();
    return budgets.map((budget) =>
      viewSubjectBudget(budget, spent.get(budget.scope as SubjectScope)?.get(budget.scopeId) ?? NO_SPENDING, now),
    );
  }
}

const setEntry = (before: StoredBudget | undefined, after: StoredBudget) =>
  BUDGET.entry('set', after, {
    before: before && viewSubjectBudgetTerms(before),
    after: viewSubjectBudgetTerms(after),
  });

const noSuchBudget = ({ scope, id }: BudgetSubject, interval: Interval): GatewayError =>
  new GatewayError('not-found', `There is no ${interval} budget of ${scope} ${shortened(id)}.`);

/** The budgets of one subject, or of a scope. */
export const listed = (accountId: string, scope?: SubjectScope, id?: string): Partial<BudgetScope> => ({
  ...(scope && { scope }),
  ...(scope && id !== undefined && { scopeId: subjectOf(accountId, scope, id).scopeId }),
});
