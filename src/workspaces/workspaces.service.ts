import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Budgets, type BudgetScope, type StoredBudget } from '../accounts/budgets.js';
import { RoutingPolicies } from '../accounts/routing-policies.js';
import { WorkspaceDirectory } from '../accounts/workspace-directory.js';
import type { WorkspaceEntity } from '../accounts/workspace.entity.js';
import { noGuardrailOf } from '../accounts/workspace-view.js';
import type { AuditChange } from '../audit/audit-log.js';
import { ManagedChanges, withNestedChanges, type ManagedChange } from '../management/managed-changes.js';
import { WORKSPACE } from '../management/managed-workspace.js';
import { CredentialsService } from '../byok/credentials.service.js';
import { reachOf, type Caller, type Reach } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { newUuid } from '../core/ids.js';
import { DestinationsService } from '../destinations/destinations.service.js';
import { ActiveGuardrails } from '../guardrails/active-guardrails.js';
import { KeyCache } from '../keys/key-cache.js';
import { KeysService } from '../keys/keys.service.js';
import { batches } from '../shared/queues/batches.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';
import { viewBudgetTerms } from './budget-view.js';
import type { WorkspaceChanges } from './workspace-bodies.dto.js';
import { WorkspacesRepository } from './workspaces.repository.js';

/** A new workspace, with its required fields. */
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
    private readonly keyCache: KeyCache,
    private readonly credentials: CredentialsService,
    private readonly destinations: DestinationsService,
    private readonly changes: ManagedChanges,
  ) {}

  /** Newest first, with the total number. */
  async list(reach: Reach, page: Page): Promise<ListPart<WorkspaceEntity>> {
    return this.workspaces.list(reach, page);
  }

  /** @throws GatewayError `not-found` */
  async get(reach: Reach, reference: string): Promise<WorkspaceEntity> {
    return this.directory.get(reach, reference, 'address');
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

  /**
   * @throws GatewayError `not-found`, also for the default guardrail; `invalid-request` for a slug that is taken;
   *   `forbidden` to a bound key for what is the account's own
   */
  async change(caller: Caller, reference: string, changes: WorkspaceChanges): Promise<WorkspaceEntity> {
    return this.changes.run(caller, async (manager, at) => {
      const guardrail = await this.lockGuardrail(manager, reachOf(caller), changes.defaultGuardrailId);
      return this.changeLocked(manager, caller, reference, async (workspace) => {
        if (caller.boundTo !== undefined) await this.assertBoundMay(manager, workspace, changes);
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
   * Sets in these budgets whether calls with own credentials count, as the workspace specifies for all of them.
   * @returns the log entries of those that changed
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
   * Deletes it with everything that belongs to it alone: keys, credentials, destinations, members and budgets.
   * Guardrails that are stored in it stay, because they may be in force elsewhere.
   * @throws GatewayError `not-found`; `forbidden` for the default one; `invalid-request` while it has active keys
   */
  async remove(caller: Caller, reference: string): Promise<void> {
    await this.within(caller, reference, async (manager, workspace, at) => {
      if (workspace.isDefault) throw new GatewayError('forbidden', 'The default workspace cannot be deleted.');
      const keys = await this.keys.removeOf(manager, workspace, at);
      const credentials = await this.credentials.removeOf(manager, workspace, at);
      const destinations = await this.destinations.removeOf(manager, workspace);
      const members = await this.workspaces.removeMembers(manager, workspace);
      const budgets = await this.budgets.remove(manager, workspace.accountId, scopeOf(workspace));
      await this.workspaces.remove(manager, workspace, at);
      const entries = [
        ...membersRemoved(workspace, members),
        ...budgetsRemoved(workspace, budgets),
        WORKSPACE.deleted(workspace),
      ];
      return withNestedChanges({ result: undefined, entries }, keys, credentials, destinations);
    });
  }

  /**
   * Makes a change of a workspace that is locked against other changes.
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
    caller: Caller,
    reference: string,
    work: (workspace: WorkspaceEntity) => Promise<ManagedChange<Result>>,
  ): Promise<ManagedChange<Result>> {
    const change = await work(await this.directory.lock(manager, reachOf(caller), reference));
    const forget = (): void => {
      change.forget?.();
      this.policies.forgetAll();
      this.guardrails.forget(caller.accountId);
      // Each cached key contains the tags of its workspace.
      this.keyCache.forgetAll();
    };
    return { ...change, forget };
  }

  /**
   * Refuses changes that only the account may make: of the workspace's slug, of what its budgets count, and of a
   * default guardrail that is not the workspace's own.
   */
  private async assertBoundMay(
    manager: EntityManager,
    workspace: WorkspaceEntity,
    { slug, includeByokInBudgets, defaultGuardrailId }: WorkspaceChanges,
  ): Promise<void> {
    if (slug !== undefined && slug !== workspace.slug) throw accountsOwn('slug');
    if (includeByokInBudgets !== undefined && includeByokInBudgets !== workspace.includeByokInBudgets)
      throw accountsOwn('include_byok_in_budgets');
    if (defaultGuardrailId !== undefined && !(await this.workspaces.hasOwnDefault(manager, workspace)))
      throw accountsOwn('default_guardrail_id');
  }

  /** Before the workspace: all transactions lock guardrails before workspaces. */
  private async lockGuardrail(
    manager: EntityManager,
    reach: Reach,
    requested: string | null | undefined,
  ): Promise<NamedGuardrail | null | undefined> {
    if (requested === undefined || requested === null) return requested;
    const id = requested.toLowerCase();
    return { id, exists: await this.workspaces.lockGuardrailShared(manager, reach, id) };
  }
}

const accountsOwn = (field: string): GatewayError =>
  new GatewayError('forbidden', `${field}: only a management key of the account can change it`);

/** The guardrail that a body names; where it exists, it is locked until the transaction ends. */
interface NamedGuardrail {
  readonly id: string;
  readonly exists: boolean;
}

/**
 * @returns undefined where the body omits it; null for none, also in the form that clients are shown
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

/** The scope of a workspace's budgets. */
export const scopeOf = ({ id }: WorkspaceEntity): BudgetScope => ({ scope: 'workspace', scopeId: id });

/** The log entries of a budget that was set. @param before undefined where there was none */
export const budgetSet = (
  workspace: WorkspaceEntity,
  before: StoredBudget | undefined,
  after: StoredBudget,
): AuditChange =>
  WORKSPACE.entry('budget.set', workspace, {
    before: before && viewBudgetTerms(before),
    after: viewBudgetTerms(after),
  });

/** The log entries of budgets that were removed. */
export const budgetsRemoved = (workspace: WorkspaceEntity, budgets: readonly StoredBudget[]): readonly AuditChange[] =>
  budgets.map((budget) => WORKSPACE.entry('budget.remove', workspace, { before: viewBudgetTerms(budget) }));

/** Members that one entry of the log names. */
const LOGGED_MEMBERS_MAX = 500;

/** The log entries of members that were removed. */
export const membersRemoved = (workspace: WorkspaceEntity, userIds: readonly string[]): readonly AuditChange[] =>
  batches(userIds, LOGGED_MEMBERS_MAX).map((some) =>
    WORKSPACE.entry('members.remove', workspace, { before: { user_ids: some } }),
  );

/** The defaults of a workspace. */
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
  tags: {},
  requiredTags: [],
} as const;
