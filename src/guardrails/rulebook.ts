import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountDirectory } from '../accounts/account-directory.js';
import { AuditLog } from '../audit/audit-log.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { newUuid } from '../core/ids.js';
import { isKnownProvider, readSlug } from '../core/routing/slug.js';
import { Clock } from '../core/time.js';
import { KeyRing } from '../keys/key-ring.js';
import { isUuid } from '../shared/http/field-patterns.js';
import { shortened } from '../shared/http/schema.js';
import { assertFilters } from './assert-filters.js';
import { viewGuardrail } from './guardrail-view.js';
import { NO_TERMS, type GuardrailEntity, type GuardrailTerms } from './guardrail.entity.js';
import { Guardrails } from './guardrails.js';
import {
  GuardrailsRepository,
  type KeyAssignment,
  type MemberAssignment,
  type SubjectKind,
} from './guardrails.repository.js';
import type { Page } from './list-guardrails.dto.js';

/** Of one account. Not in scope; chosen: what is in force is kept in memory, compiled. */
const GUARDRAILS_MAX = 1_000;

/** How the audit log names the subjects of an assignment: as bodies do. */
const SUBJECT_FIELDS: Readonly<Record<SubjectKind, string>> = { key: 'key_hashes', member: 'member_user_ids' };

/**
 * The guardrails of an account, whom they are for, and every change of that. A change is in force in this process when it returns, and
 * everywhere within five seconds; budgets follow it in the same transaction.
 */
@Injectable()
export class Rulebook {
  constructor(
    private readonly guardrails: GuardrailsRepository,
    private readonly inForce: Guardrails,
    private readonly accounts: AccountDirectory,
    private readonly keys: KeyRing,
    private readonly catalog: CatalogStore,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Newest first, with how many there are in all. */
  async list(accountId: string, page: Page, workspaceId: string | undefined): Promise<[GuardrailEntity[], number]> {
    return this.guardrails.list(accountId, page, workspaceId?.toLowerCase());
  }

  /** @throws GatewayError `not-found` */
  async get(accountId: string, id: string, manager?: EntityManager): Promise<GuardrailEntity> {
    const guardrail = isUuid(id) ? await this.guardrails.find(accountId, id, manager) : null;
    if (!guardrail) throw new GatewayError('not-found', 'There is no guardrail with this id.');
    return guardrail;
  }

  /**
   * @param workspaceId the account's default workspace where undefined
   * @throws GatewayError `invalid-request` for terms that cannot be kept, `not-found` for a workspace of nobody or somebody else
   */
  async create(
    caller: Caller,
    terms: Partial<GuardrailTerms> & Pick<GuardrailTerms, 'name'>,
    workspaceId: string | undefined,
  ): Promise<GuardrailEntity> {
    this.assertTerms(terms);
    const { accountId } = caller;
    const home = workspaceId?.toLowerCase() ?? (await this.accounts.findDefaultWorkspace(accountId));
    if (home === null)
      throw new GatewayError('invalid-request', 'workspace_id: is required, as there is no default workspace');
    return this.change(accountId, async (manager) => {
      if (!(await this.accounts.keepWorkspace(manager, accountId, home)))
        throw new GatewayError('not-found', 'workspace_id: there is no such workspace');
      if ((await this.guardrails.count(manager, accountId)) >= GUARDRAILS_MAX)
        throw new GatewayError(
          'invalid-request',
          `An account has at most ${GUARDRAILS_MAX} guardrails; delete one first.`,
        );
      const now = this.clock.now();
      const guardrail: GuardrailEntity = {
        ...NO_TERMS,
        ...terms,
        id: newUuid(now),
        accountId,
        workspaceId: home,
        createdAt: new Date(now),
        updatedAt: null,
      };
      await this.guardrails.insert(manager, guardrail);
      const after = viewGuardrail(guardrail);
      await this.record(manager, caller, 'guardrail.create', guardrail, { after });
      return guardrail;
    });
  }

  /** @throws GatewayError `not-found`; `invalid-request` for terms that cannot be kept */
  async update(caller: Caller, id: string, terms: Partial<GuardrailTerms>): Promise<GuardrailEntity> {
    this.assertTerms(terms);
    const { accountId } = caller;
    return this.change(accountId, async (manager) => {
      const guardrail = await this.get(accountId, id, manager);
      const before = viewGuardrail(guardrail);
      const changed = { ...guardrail, ...terms };
      if (JSON.stringify(viewGuardrail(changed)) === JSON.stringify(before)) return guardrail;
      changed.updatedAt = new Date(this.clock.now());
      await this.guardrails.update(manager, changed);
      await this.guardrails.followWithBudgets(manager, accountId, [changed.id]);
      await this.record(manager, caller, 'guardrail.update', changed, { before, after: viewGuardrail(changed) });
      return changed;
    });
  }

  /** @throws GatewayError `not-found` */
  async delete(caller: Caller, id: string): Promise<void> {
    const { accountId } = caller;
    await this.change(accountId, async (manager) => {
      const guardrail = await this.get(accountId, id, manager);
      await this.guardrails.delete(manager, accountId, guardrail.id);
      await this.record(manager, caller, 'guardrail.delete', guardrail, { before: viewGuardrail(guardrail) });
    });
  }

  /**
   * Assigns a guardrail to keys or members; whoever holds another one holds this one instead.
   * @returns how many did not hold it before
   * @throws GatewayError `not-found`; `invalid-request` for a hash that is not of a key of the account
   */
  async assign(caller: Caller, id: string, kind: SubjectKind, subjects: readonly string[]): Promise<number> {
    const { accountId } = caller;
    return this.change(accountId, async (manager) => {
      const guardrail = await this.get(accountId, id, manager);
      if (kind === 'key' && !(await this.keys.ownsAll(accountId, subjects, manager)))
        throw new GatewayError('invalid-request', 'key_hashes: there is no key with one of these hashes');
      const assigned = await this.guardrails.listAssigned(manager, accountId, kind, subjects);
      const moved = [...new Set(subjects)].filter((subject) => assigned.get(subject) !== guardrail.id);
      if (moved.length === 0) return 0;
      const at = new Date(this.clock.now());
      await this.guardrails.assign(manager, caller, guardrail.id, kind, moved, at);
      const left = moved.filter((subject) => assigned.has(subject));
      const concerned = new Set([guardrail.id, ...left.map((subject) => assigned.get(subject)!)]);
      await this.guardrails.followWithBudgets(manager, accountId, [...concerned]);
      await this.record(manager, caller, 'guardrail.assign', guardrail, {
        ...(left.length > 0 && {
          before: Object.fromEntries(left.map((subject) => [subject, assigned.get(subject)!])),
        }),
        after: { [SUBJECT_FIELDS[kind]]: moved },
      });
      return moved.length;
    });
  }

  /**
   * Takes a guardrail from keys or members. Whoever does not hold it is passed over.
   * @returns how many held it
   * @throws GatewayError `not-found`
   */
  async unassign(caller: Caller, id: string, kind: SubjectKind, subjects: readonly string[]): Promise<number> {
    const { accountId } = caller;
    return this.change(accountId, async (manager) => {
      const guardrail = await this.get(accountId, id, manager);
      const assigned = await this.guardrails.listAssigned(manager, accountId, kind, subjects);
      const held = [...new Set(subjects)].filter((subject) => assigned.get(subject) === guardrail.id);
      if (held.length === 0) return 0;
      await this.guardrails.unassign(manager, accountId, guardrail.id, kind, held);
      await this.guardrails.followWithBudgets(manager, accountId, [guardrail.id]);
      await this.record(manager, caller, 'guardrail.unassign', guardrail, { before: { [SUBJECT_FIELDS[kind]]: held } });
      return held.length;
    });
  }

  /**
   * @param id of all guardrails where undefined
   * @throws GatewayError `not-found`
   */
  async listKeys(accountId: string, id: string | undefined, page: Page): Promise<[KeyAssignment[], number]> {
    const guardrail = id === undefined ? undefined : await this.get(accountId, id);
    return this.guardrails.listKeyAssignments(accountId, guardrail?.id, page);
  }

  /**
   * @param id of all guardrails where undefined
   * @throws GatewayError `not-found`
   */
  async listMembers(accountId: string, id: string | undefined, page: Page): Promise<[MemberAssignment[], number]> {
    const guardrail = id === undefined ? undefined : await this.get(accountId, id);
    return this.guardrails.listMemberAssignments(accountId, guardrail?.id, page);
  }

  private async change<T>(accountId: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await this.guardrails.change(accountId, work);
    } finally {
      // Also where nobody knows how it ended: a commit may have been made whose answer was lost.
      this.inForce.forget(accountId);
    }
  }

  private assertTerms(terms: Partial<GuardrailTerms>): void {
    this.assertProviders('allowed_providers', terms.allowedProviders);
    this.assertProviders('ignored_providers', terms.ignoredProviders);
    assertFilters(terms);
  }

  /** Misspelt, a provider would forbid all others, or still be used. */
  private assertProviders(field: string, entries: readonly string[] | null | undefined): void {
    const providers = this.catalog.current().providers;
    entries?.forEach((entry, index) => {
      if (isKnownProvider(readSlug(entry), providers.values())) return;
      const told = JSON.stringify(shortened(entry));
      throw new GatewayError(
        'invalid-request',
        `${field}.${index}: ${told} is no known provider; name one by its slug, such as "openai" or "groq"`,
      );
    });
  }

  private async record(
    manager: EntityManager,
    caller: Caller,
    action: string,
    { id, workspaceId }: GuardrailEntity,
    states: { readonly before?: object; readonly after?: object },
  ): Promise<void> {
    await this.audit.record(manager, caller, { action, target: id, workspaceId, ...states });
  }
}
