import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WorkspaceDirectory } from '../accounts/workspace-directory.js';
import type { AuditChange } from '../audit/audit-log.js';
import { ManagedChanges, type ChangeWork } from '../management/managed-changes.js';
import { ManagedKind } from '../management/managed-kind.js';
import { WORKSPACE } from '../management/managed-workspace.js';
import { assertKnownProviders } from '../catalog/assert-known-providers.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import { reachOf, wholeAccount, type Caller, type Reach } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { newUuid } from '../core/ids.js';
import { KeysService } from '../keys/keys.service.js';
import { batches } from '../shared/queues/batches.js';
import { isUuid } from '../shared/http/field-patterns.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';
import { assertFilters } from './assert-filters.js';
import { viewGuardrail } from './guardrail-view.js';
import { NO_TERMS, type GuardrailEntity, type GuardrailTerms } from './guardrail.entity.js';
import { ActiveGuardrails } from './active-guardrails.js';
import {
  GuardrailsRepository,
  type KeyAssignment,
  type MemberAssignment,
  type SubjectKind,
} from './guardrails.repository.js';

/** Guardrails of one account. Chosen: active ones are kept in memory, compiled. */
const GUARDRAILS_MAX = 1_000;

/** The fields of subjects in the audit log: those of request bodies. */
const SUBJECT_FIELDS: Readonly<Record<SubjectKind, string>> = { key: 'key_hashes', member: 'member_user_ids' };
/** Subjects that one entry of the log names: as many as one call may name. */
const LOGGED_SUBJECTS_MAX = 500;

/** Guardrails as the audit log shows them. */
const GUARDRAIL = new ManagedKind<GuardrailEntity>('guardrail', (guardrail) => ({
  target: guardrail.id,
  workspaceId: guardrail.workspaceId,
  view: viewGuardrail(guardrail),
}));

/**
 * The guardrails of an account, their assignments, and every change of both. A change is in force in this process when
 * it returns, and everywhere within five seconds; budgets are updated in the same transaction.
 */
@Injectable()
export class GuardrailsService {
  constructor(
    private readonly guardrails: GuardrailsRepository,
    private readonly inForce: ActiveGuardrails,
    private readonly workspaces: WorkspaceDirectory,
    private readonly keys: KeysService,
    private readonly catalog: CatalogStore,
    private readonly changes: ManagedChanges,
  ) {}

  /**
   * Newest first, with the total number.
   * @param workspace id or slug; only its guardrails are listed
   * @throws GatewayError `not-found` for the workspace
   */
  async list(reach: Reach, page: Page, workspace: string | undefined): Promise<ListPart<GuardrailEntity>> {
    return this.guardrails.list(reach.accountId, page, await this.workspaces.idIfNamed(reach, workspace));
  }

  /** @throws GatewayError `not-found` */
  async get(reach: Reach, id: string, manager?: EntityManager): Promise<GuardrailEntity> {
    const guardrail = isUuid(id) ? await this.guardrails.find(reach, id, manager) : null;
    if (!guardrail) throw noSuchGuardrail();
    return guardrail;
  }

  /**
   * @param workspace id or slug; the account's default workspace where undefined
   * @throws GatewayError `invalid-request` for terms that cannot be enforced, `not-found` for an unknown workspace or
   *   one of another account
   */
  async create(
    caller: Caller,
    terms: Partial<GuardrailTerms> & Pick<GuardrailTerms, 'name'>,
    workspace: string | undefined,
  ): Promise<GuardrailEntity> {
    this.assertTerms(terms);
    const { accountId } = caller;
    const workspaceId = await this.workspaces.idOrDefault(reachOf(caller), workspace);
    return this.change(caller, async (manager, createdAt) => {
      await this.workspaces.lockShared(manager, accountId, workspaceId);
      if ((await this.guardrails.count(manager, accountId)) >= GUARDRAILS_MAX)
        throw new GatewayError(
          'invalid-request',
          `An account has at most ${GUARDRAILS_MAX} guardrails; delete one first.`,
        );
      const identity = { id: newUuid(createdAt.getTime()), accountId, workspaceId, createdAt, updatedAt: null };
      const guardrail = await this.guardrails.insert(manager, { ...NO_TERMS, ...terms, ...identity });
      return { result: guardrail, entries: [GUARDRAIL.created(guardrail)] };
    });
  }

  /**
   * @throws GatewayError `not-found`; `invalid-request` for terms that cannot be enforced; `forbidden` to a bound key
   *   where it is in force beyond the workspace
   */
  async update(caller: Caller, id: string, terms: Partial<GuardrailTerms>): Promise<GuardrailEntity> {
    this.assertTerms(terms);
    const { accountId } = caller;
    return this.change(caller, async (manager, updatedAt) => {
      const guardrail = await this.get(reachOf(caller), id, manager);
      await this.assertOwn(manager, caller, guardrail);
      return GUARDRAIL.update(guardrail, terms, async () => {
        const after = await this.guardrails.update(manager, guardrail, { ...terms, updatedAt });
        await this.guardrails.followWithBudgets(manager, accountId, [after.id]);
        return after;
      });
    });
  }

  /**
   * Removes it from all of its subjects, and from the workspaces whose default it is.
   * @throws GatewayError `not-found`; `forbidden` to a bound key where it is in force beyond the workspace
   */
  async delete(caller: Caller, id: string): Promise<void> {
    const { accountId } = caller;
    await this.change(caller, async (manager, at) => {
      // Before the workspaces: all transactions lock guardrails before workspaces.
      const guardrail = isUuid(id) ? await this.guardrails.lock(manager, reachOf(caller), id) : null;
      if (!guardrail) throw noSuchGuardrail();
      await this.assertOwn(manager, caller, guardrail);
      const entries: AuditChange[] = [];
      for (const kind of SUBJECT_KINDS) {
        const held = await this.guardrails.unassign(manager, wholeAccount(accountId), guardrail.id, kind);
        entries.push(...unassigned(guardrail, kind, held));
      }
      entries.push(...(await this.clearDefault(manager, guardrail, at)));
      await this.guardrails.delete(manager, accountId, guardrail.id);
      await this.guardrails.followWithBudgets(manager, accountId, [guardrail.id]);
      return { result: undefined, entries: [...entries, GUARDRAIL.deleted(guardrail)] };
    });
  }

  /**
   * Assigns a guardrail to keys or members; it replaces any other one.
   * @returns how many it was not assigned to before
   * @throws GatewayError `not-found`; `invalid-request` for a hash that is not of a key of the account; `forbidden` to
   *   a bound key for a subject with a guardrail of another workspace
   */
  async assign(caller: Caller, id: string, kind: SubjectKind, subjects: readonly string[]): Promise<number> {
    const { accountId } = caller;
    return this.change(caller, async (manager, at) => {
      const reach = reachOf(caller);
      const guardrail = await this.get(reach, id, manager);
      if (kind === 'key' && !(await this.keys.ownsAll(reach, subjects, manager)))
        throw new GatewayError('invalid-request', 'key_hashes: there is no key with one of these hashes');
      const assigned = await this.guardrails.listAssigned(manager, accountId, kind, subjects);
      if (!(await this.guardrails.reachesAll(manager, reach, [...new Set(assigned.values())])))
        throw new GatewayError(
          'forbidden',
          `${SUBJECT_FIELDS[kind]}: one of these has a guardrail of another workspace; only a management key of the account can replace it`,
        );
      const others = [...new Set(subjects)].filter((subject) => assigned.get(subject) !== guardrail.id);
      if (others.length === 0) return { result: 0, entries: [] };
      const moved = await this.guardrails.assign(manager, caller, guardrail.id, kind, others, at);
      const left = moved.filter((subject) => assigned.has(subject));
      const concerned = new Set([guardrail.id, ...left.map((subject) => assigned.get(subject)!)]);
      await this.guardrails.followWithBudgets(manager, accountId, [...concerned]);
      const before = Object.fromEntries(left.map((subject) => [subject, assigned.get(subject)!]));
      const states = { ...(left.length > 0 && { before }), after: { [SUBJECT_FIELDS[kind]]: moved } };
      return { result: moved.length, entries: [GUARDRAIL.entry('assign', guardrail, states)] };
    });
  }

  /**
   * Removes a guardrail from keys or members. Subjects without it are ignored.
   * @returns how many it was assigned to
   * @throws GatewayError `not-found`
   */
  async unassign(caller: Caller, id: string, kind: SubjectKind, subjects: readonly string[]): Promise<number> {
    const { accountId } = caller;
    return this.change(caller, async (manager) => {
      const reach = reachOf(caller);
      const guardrail = await this.get(reach, id, manager);
      const held = await this.guardrails.unassign(manager, reach, guardrail.id, kind, subjects);
      if (held.length === 0) return { result: 0, entries: [] };
      await this.guardrails.followWithBudgets(manager, accountId, [guardrail.id]);
      return { result: held.length, entries: unassigned(guardrail, kind, held) };
    });
  }

  /**
   * @param id of all guardrails where undefined
   * @throws GatewayError `not-found`
   */
  async listKeys(reach: Reach, id: string | undefined, page: Page): Promise<ListPart<KeyAssignment>> {
    const guardrail = id === undefined ? undefined : await this.get(reach, id);
    return this.guardrails.listKeyAssignments(reach, guardrail?.id, page);
  }

  /**
   * @param id of all guardrails where undefined
   * @throws GatewayError `not-found`
   */
  async listMembers(reach: Reach, id: string | undefined, page: Page): Promise<ListPart<MemberAssignment>> {
    const guardrail = id === undefined ? undefined : await this.get(reach, id);
    return this.guardrails.listMemberAssignments(reach, guardrail?.id, page);
  }

  /** Refuses a change by a bound key where the account has assigned the guardrail beyond the key's workspace. */
  private async assertOwn(manager: EntityManager, { boundTo }: Caller, guardrail: GuardrailEntity): Promise<void> {
    if (boundTo === undefined || !(await this.guardrails.isInForceBeyond(manager, guardrail))) return;
    throw new GatewayError(
      'forbidden',
      'The guardrail also applies to members, or to keys of other workspaces; only a management key of the account can change it.',
    );
  }

  /** @returns the log entries of the workspaces whose default it was */
  private async clearDefault(
    manager: EntityManager,
    { accountId, id }: GuardrailEntity,
    at: Date,
  ): Promise<readonly AuditChange[]> {
    const workspaces = await this.guardrails.lockDefaultOf(manager, accountId, id);
    const cleared = await this.guardrails.clearDefault(manager, accountId, id, at);
    const after = new Map(cleared.map((workspace) => [workspace.id, workspace]));
    return workspaces.map((workspace) => WORKSPACE.updated(workspace, after.get(workspace.id)!));
  }

  private async change<Result>(caller: Caller, work: ChangeWork<Result>): Promise<Result> {
    const { accountId } = caller;
    return this.changes.run(caller, async (manager, at) => {
      await this.guardrails.lockAccount(manager, accountId);
      return { ...(await work(manager, at)), forget: () => this.inForce.forget(accountId) };
    });
  }

  private assertTerms(terms: Partial<GuardrailTerms>): void {
    const catalog = this.catalog.current;
    assertKnownProviders('allowed_providers', terms.allowedProviders, catalog);
    assertKnownProviders('ignored_providers', terms.ignoredProviders, catalog);
    assertFilters(terms);
  }
}

const noSuchGuardrail = (): GatewayError => new GatewayError('not-found', 'There is no guardrail with this id.');

const SUBJECT_KINDS = Object.keys(SUBJECT_FIELDS) as SubjectKind[];

const unassigned = (guardrail: GuardrailEntity, kind: SubjectKind, subjects: readonly string[]): AuditChange[] =>
  batches(subjects, LOGGED_SUBJECTS_MAX).map((some) =>
    GUARDRAIL.entry('unassign', guardrail, { before: { [SUBJECT_FIELDS[kind]]: some } }),
  );
