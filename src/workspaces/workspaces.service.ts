import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Budgets, type BudgetScope, type StoredBudget } from '../accounts/budgets.js';
import { RoutingPolicies } from '../accounts/routing-policies.js';
import { WorkspaceDirectory } from '../accounts/workspace-directory.js';
import type { WorkspaceEntity } from '../accounts/workspace.entity.js';
import { noGuardrailOf } from '../accounts/workspace-view.js';
import type { AuditChange } from '../audit/audit-log.js';
import { ManagedChanges, takingAlong, type ManagedChange } from '../audit/managed-changes.js';
import { WORKSPACE } from '../audit/managed-workspace.js';
import { CredentialsService } from '../byok/credentials.service.js';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { newUuid } from '../core/ids.js';
import { ActiveGuardrails } from '../guardrails/active-guardrails.js';
import { KeysService } from '../keys/keys.service.js';
import { batches } from '../shared/batches.js';
import type { Page } from '../shared/http/page.dto.js';
import { viewBudgetTerms } from './budget-view.js';
import type { WorkspaceChanges } from './workspace-bodies.dto.js';
import { WorkspacesRepository } from './workspaces.repository.js';

/** What a new workspace must be told of. */
export type WorkspaceDescription = WorkspaceChanges & Pick<WorkspaceEntity, 'name' | 'slug'>;

/** The workspaces of an account and every change of them. */
@Injectable()
export class WorkspacesService {
  constructor(
    private readonly directory: WorkspaceDirectory,
    private readonly workspaces: WorkspacesRepository,
    private readonly budgets: Budgets,
    private readonly policies: RoutingPolicies,
    private readonly guardrails: ActiveGuardrails,
    private readonly keys: KeysService,
    private readonly credentials: CredentialsService,
    private readonly changes: ManagedChanges,
  ) {}

  /** Newest first, with how many there are in all. */
  async list(accountId: string, page: Page): Promise<[WorkspaceEntity[], number]> {
    return this.workspaces.list(accountId, page);
  }

  /** @throws GatewayError `not-found` */
  async get(accountId: string, reference: string): Promise<WorkspaceEntity> {
    return this.directory.get(accountId, reference, 'address');
  }

  /** @throws GatewayError `invalid-request` for a slug that is taken */
  async create(caller: Caller, description: WorkspaceDescription): Promise<WorkspaceEntity> {
    return this.changes.run(caller, async (manager, createdAt) => {
      const workspace = await this.workspaces.insert(manager, {
        ...PLAIN,
        ...description,
        id: newUuid(createdAt.getTime()),
        accountId: caller.accountId,
        createdBy: caller.userId,
        createdAt,
      });
      return { result: workspace, entries: [WORKSPACE.created(workspace)] };
    });
  }

  /** @throws GatewayError `not-found`, also for the default guardrail; `invalid-request` for a slug that is taken */
  async change(caller: Caller, reference: string, changes: WorkspaceChanges): Promise<WorkspaceEntity> {
    return this.changes.run(caller, async (manager, at) => {
      const guardrail = await this.lockGuardrail(manager, caller.accountId, changes.defaultGuardrailId);
      return this.changeLocked(manager, caller, reference, async (workspace) => {
        const defaultGuardrailId = chosenGuardrail(workspace, guardrail);
        const wanted = { ...changes, ...(defaultGuardrailId !== undefined && { defaultGuardrailId }) };
        const change = await WORKSPACE.update(workspace, wanted, () =>
          this.workspaces.change(manager, workspace, wanted, at),
        );
        if (change.result.includeByokInBudgets === workspace.includeByokInBudgets) return change;
        const standing = await this.budgets.list(manager, workspace.accountId, scopeOf(workspace));
        return {
          ...change,
          entries: [...change.entries, ...(await this.alignBudgets(manager, change.result, standing))],
        };
      });
    });
  }

  /**
   * Lets what goes through own credentials count in these budgets as the workspace has it for all of them.
   * @returns what the log keeps of those that had it otherwise
   */
  async alignBudgets(
    manager: EntityManager,
    workspace: WorkspaceEntity,
    standing: readonly StoredBudget[],
  ): Promise<readonly AuditChange[]> {
    const entries: AuditChange[] = [];
    const includesByok = workspace.includeByokInBudgets;
    for (const before of standing) {
      if (before.includesByok === includesByok) continue;
      const after = await this.budgets.set(manager, workspace.accountId, { ...before, includesByok });
      entries.push(budgetSet(workspace, before, after));
    }
    return entries;
  }

  /**
   * Deletes it with what it alone had: keys, credentials, members and budgets. Guardrails that are kept in it stay, for
   * they may be in force elsewhere.
   * @throws GatewayError `not-found`; `forbidden` for the default one; `invalid-request` while it has active keys
   */
  async remove(caller: Caller, reference: string): Promise<void> {
    await this.within(caller, reference, async (manager, workspace, at) => {
      if (workspace.isDefault) throw new GatewayError('forbidden', 'The default workspace cannot be deleted.');
      const keys = await this.keys.removeOf(manager, workspace, at);
      const credentials = await this.credentials.removeOf(manager, workspace, at);
      const members = await this.workspaces.removeMembers(manager, workspace);
      const budgets = await this.budgets.remove(manager, workspace.accountId, scopeOf(workspace));
      await this.workspaces.remove(manager, workspace, at);
      const entries = [
        ...membersRemoved(workspace, members),
        ...budgetsRemoved(workspace, budgets),
        WORKSPACE.deleted(workspace),
      ];
      return takingAlong({ result: undefined, entries }, keys, credentials);
    });
  }

  /**
   * Makes a change of a workspace that nobody else changes meanwhile.
   * @throws GatewayError `not-found`
   */
  async within<Result>(
    caller: Caller,
    reference: string,
    work: (manager: EntityManager, workspace: WorkspaceEntity, at: Date) => Promise<ManagedChange<Result>>,
  ): Promise<Result> {
    return this.changes.run(caller, (manager, at) =>
      this.changeLocked(manager, caller, reference, (workspace) => work(manager, workspace, at)),
    );
  }

  private async changeLocked<Result>(
    manager: EntityManager,
    { accountId }: Caller,
    reference: string,
    work: (workspace: WorkspaceEntity) => Promise<ManagedChange<Result>>,
  ): Promise<ManagedChange<Result>> {
    const change = await work(await this.directory.lock(manager, accountId, reference));
    const forget = (): void => {
      change.forget?.();
      this.policies.forgetAll();
      this.guardrails.forget(accountId);
    };
    return { ...change, forget };
  }

  /** Before the workspace: guardrails are locked before workspaces by everyone. */
  private async lockGuardrail(
    manager: EntityManager,
    accountId: string,
    asked: string | null | undefined,
  ): Promise<NamedGuardrail | null | undefined> {
    if (asked === undefined || asked === null) return asked;
    const id = asked.toLowerCase();
    return { id, exists: await this.workspaces.lockGuardrailShared(manager, accountId, id) };
  }
}

/** The guardrail that a body names; where it exists, it stays until the transaction ends. */
interface NamedGuardrail {
  readonly id: string;
  readonly exists: boolean;
}

/**
 * @returns undefined where nothing is said; null for none, also when it comes as clients are shown it
 * @throws GatewayError `not-found`
 */
function chosenGuardrail(
  workspace: WorkspaceEntity,
  named: NamedGuardrail | null | undefined,
): string | null | undefined {
  if (!named) return named;
  if (named.exists) return named.id;
  if (named.id === noGuardrailOf(workspace.id)) return null;
  throw new GatewayError('not-found', 'default_guardrail_id: there is no such guardrail');
}

/** Whose budgets those of a workspace are. */
export const scopeOf = ({ id }: WorkspaceEntity): BudgetScope => ({ scope: 'workspace', scopeId: id });

/** What the log keeps of a budget that was set. @param before undefined where there was none */
export const budgetSet = (
  workspace: WorkspaceEntity,
  before: StoredBudget | undefined,
  after: StoredBudget,
): AuditChange =>
  WORKSPACE.entry('budget.set', workspace, {
    before: before && viewBudgetTerms(before),
    after: viewBudgetTerms(after),
  });

/** What the log keeps of budgets that were removed. */
export const budgetsRemoved = (workspace: WorkspaceEntity, budgets: readonly StoredBudget[]): readonly AuditChange[] =>
  budgets.map((budget) => WORKSPACE.entry('budget.remove', workspace, { before: viewBudgetTerms(budget) }));

/** Members that one entry of the log names. */
const LOGGED_MEMBERS_MAX = 500;

/** The same of members. */
export const membersRemoved = (workspace: WorkspaceEntity, userIds: readonly string[]): readonly AuditChange[] =>
  batches(userIds, LOGGED_MEMBERS_MAX).map((some) =>
    WORKSPACE.entry('members.remove', workspace, { before: { user_ids: some } }),
  );

/** A workspace of which nothing was said. */
const PLAIN = {
  isDefault: false,
  updatedAt: null,
  deletedAt: null,
  description: null,
  defaultTextModel: null,
  defaultImageModel: null,
  defaultProviderSort: null,
  isDataDiscountLoggingEnabled: false,
  isObservabilityBroadcastEnabled: false,
  isObservabilityIoLoggingEnabled: false,
  ioLoggingSamplingRate: 1,
  ioLoggingApiKeyIds: null,
  includeByokInBudgets: false,
  defaultGuardrailId: null,
  allowedProviders: null,
  ignoredProviders: null,
  denyDataCollection: false,
  enforceZdr: false,
  plugins: [],
} as const;
