import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Budgets } from '../accounts/budgets.js';
import { RoutingPolicies } from '../accounts/routing-policies.js';
import type { WorkspaceEntity } from '../accounts/workspace.entity.js';
import { AuditLog } from '../audit/audit-log.js';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { newUuid } from '../core/ids.js';
import { Clock } from '../core/time.js';
import { Guardrails } from '../guardrails/guardrails.js';
import { KeyRing } from '../keys/key-ring.js';
import type { Page } from './page.dto.js';
import type { WorkspaceChanges } from './workspace-bodies.dto.js';
import { noGuardrailOf, viewWorkspace } from './workspace-view.js';
import { WorkspacesRepository } from './workspaces.repository.js';

/** What a new workspace must be told of. */
export type WorkspaceDescription = WorkspaceChanges & Pick<WorkspaceEntity, 'name' | 'slug'>;

/** The workspaces of an account and every change of them. */
@Injectable()
export class Workspaces {
  constructor(
    private readonly database: DataSource,
    private readonly workspaces: WorkspacesRepository,
    private readonly budgets: Budgets,
    private readonly policies: RoutingPolicies,
    private readonly guardrails: Guardrails,
    private readonly keys: KeyRing,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Newest first, with how many there are in all. */
  async list(accountId: string, page: Page): Promise<[WorkspaceEntity[], number]> {
    return this.workspaces.list(accountId, page);
  }

  /** @throws GatewayError `not-found` */
  async get(accountId: string, reference: string): Promise<WorkspaceEntity> {
    return this.workspaces.get(accountId, reference);
  }

  /** @throws GatewayError `invalid-request` for a slug that is taken */
  async create(caller: Caller, description: WorkspaceDescription): Promise<WorkspaceEntity> {
    const createdAt = new Date(this.clock.now());
    const workspace: WorkspaceEntity = {
      ...PLAIN,
      ...description,
      id: newUuid(createdAt.getTime()),
      accountId: caller.accountId,
      isDefault: false,
      createdBy: caller.userId,
      createdAt,
      updatedAt: null,
      deletedAt: null,
    };
    await this.database.transaction('READ COMMITTED', async (manager) => {
      await this.workspaces.insert(manager, workspace);
      await this.audit.record(manager, caller, {
        action: 'workspace.create',
        target: workspace.id,
        workspaceId: workspace.id,
        after: viewWorkspace(workspace),
      });
    });
    return workspace;
  }

  /** @throws GatewayError `not-found`, also for the default guardrail; `invalid-request` for a slug that is taken */
  async change(caller: Caller, reference: string, changes: WorkspaceChanges): Promise<WorkspaceEntity> {
    return this.within(caller, reference, async (manager, workspace, at) => {
      const defaultGuardrailId = await this.readGuardrail(manager, workspace, changes.defaultGuardrailId);
      const wanted = { ...changes, ...(defaultGuardrailId !== undefined && { defaultGuardrailId }) };
      const before = viewWorkspace(workspace);
      if (JSON.stringify(viewWorkspace({ ...workspace, ...wanted })) === JSON.stringify(before)) return workspace;
      const changed = { ...workspace, ...wanted, updatedAt: at };
      await this.workspaces.change(manager, workspace, wanted, at);
      await this.audit.record(manager, caller, {
        action: 'workspace.update',
        target: workspace.id,
        workspaceId: workspace.id,
        before,
        after: viewWorkspace(changed),
      });
      return changed;
    });
  }

  /** @throws GatewayError `not-found`; `forbidden` for the default one; `invalid-request` while it has active keys */
  async remove(caller: Caller, reference: string): Promise<void> {
    await this.within(caller, reference, async (manager, workspace, at) => {
      if (workspace.isDefault) throw new GatewayError('forbidden', 'The default workspace cannot be deleted.');
      const keys = await this.keys.countActive(caller.accountId, workspace.id, undefined, manager);
      if (keys > 0)
        throw new GatewayError(
          'invalid-request',
          `The workspace still has ${keys} active ${keys === 1 ? 'key' : 'keys'}; delete or disable ${keys === 1 ? 'it' : 'them'} first.`,
        );
      await this.workspaces.remove(manager, workspace, at);
      await this.budgets.remove(manager, caller.accountId, { scope: 'workspace', scopeId: workspace.id });
      await this.audit.record(manager, caller, {
        action: 'workspace.delete',
        target: workspace.id,
        workspaceId: workspace.id,
        before: viewWorkspace(workspace),
      });
    });
  }

  /**
   * Does something to a workspace that nobody else changes meanwhile; all of it or nothing is done.
   * @throws GatewayError `not-found`
   */
  async within<T>(
    { accountId }: Caller,
    reference: string,
    work: (manager: EntityManager, workspace: WorkspaceEntity, at: Date) => Promise<T>,
  ): Promise<T> {
    const done = await this.database.transaction('READ COMMITTED', async (manager) =>
      work(manager, await this.workspaces.lock(manager, accountId, reference), new Date(this.clock.now())),
    );
    this.policies.forgetAll();
    this.guardrails.forget(accountId);
    return done;
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

/** A workspace of which nothing was said. */
const PLAIN = {
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
