import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Budgets } from '../accounts/budgets.js';
import { RoutingPolicies } from '../accounts/routing-policies.js';
import { WorkspaceDirectory } from '../accounts/workspace-directory.js';
import type { WorkspaceEntity } from '../accounts/workspace.entity.js';
import { ManagedChanges, type ManagedChange } from '../audit/managed-changes.js';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { newUuid } from '../core/ids.js';
import { ActiveGuardrails } from '../guardrails/active-guardrails.js';
import { KeysService } from '../keys/keys.service.js';
import type { Page } from '../shared/http/page.dto.js';
import type { WorkspaceChanges } from './workspace-bodies.dto.js';
import { noGuardrailOf, viewWorkspace } from './workspace-view.js';
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
      const { id } = workspace;
      const entry = { action: 'workspace.create', target: id, workspaceId: id, after: viewWorkspace(workspace) };
      return { result: workspace, entries: [entry] };
    });
  }

  /** @throws GatewayError `not-found`, also for the default guardrail; `invalid-request` for a slug that is taken */
  async change(caller: Caller, reference: string, changes: WorkspaceChanges): Promise<WorkspaceEntity> {
    return this.within(caller, reference, async (manager, workspace, at) => {
      const defaultGuardrailId = await this.readGuardrail(manager, workspace, changes.defaultGuardrailId);
      const wanted = { ...changes, ...(defaultGuardrailId !== undefined && { defaultGuardrailId }) };
      const before = viewWorkspace(workspace);
      if (JSON.stringify(viewWorkspace({ ...workspace, ...wanted })) === JSON.stringify(before))
        return { result: workspace, entries: [] };
      const changed = await this.workspaces.change(manager, workspace, wanted, at);
      const { id } = changed;
      const entry = { action: 'workspace.update', target: id, workspaceId: id, before, after: viewWorkspace(changed) };
      return { result: changed, entries: [entry] };
    });
  }

  /** @throws GatewayError `not-found`; `forbidden` for the default one; `invalid-request` while it has active keys */
  async remove(caller: Caller, reference: string): Promise<void> {
    await this.within(caller, reference, async (manager, workspace, at) => {
      const { accountId, id } = workspace;
      if (workspace.isDefault) throw new GatewayError('forbidden', 'The default workspace cannot be deleted.');
      const keys = await this.keys.countActive(accountId, id, undefined, manager);
      if (keys > 0) throw hasKeys(keys);
      await this.workspaces.remove(manager, workspace, at);
      await this.budgets.remove(manager, accountId, { scope: 'workspace', scopeId: id });
      const entry = { action: 'workspace.delete', target: id, workspaceId: id, before: viewWorkspace(workspace) };
      return { result: undefined, entries: [entry] };
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
    const { accountId } = caller;
    return this.changes.run(caller, async (manager, at) => {
      const workspace = await this.directory.lock(manager, accountId, reference);
      const forget = (): void => {
        this.policies.forgetAll();
        this.guardrails.forget(accountId);
      };
      return { ...(await work(manager, workspace, at)), forget };
    });
  }

  /** @returns undefined where nothing is said; null for none, also when it comes as clients are shown it */
  private async readGuardrail(
    manager: EntityManager,
    { accountId, id }: WorkspaceEntity,
    asked: string | null | undefined,
  ): Promise<string | null | undefined> {
    if (asked === undefined || asked === null) return asked;
    const guardrailId = asked.toLowerCase();
    if (guardrailId === noGuardrailOf(id)) return null;
    if (await this.workspaces.hasGuardrail(manager, accountId, guardrailId)) return guardrailId;
    throw new GatewayError('not-found', 'default_guardrail_id: there is no such guardrail');
  }
}

const hasKeys = (keys: number): GatewayError =>
  new GatewayError(
    'invalid-request',
    `The workspace still has ${keys} active ${keys === 1 ? 'key' : 'keys'}; delete or disable ${keys === 1 ? 'it' : 'them'} first.`,
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
} as const;
