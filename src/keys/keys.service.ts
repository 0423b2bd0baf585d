import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WorkspaceDirectory } from '../accounts/workspace-directory.js';
import type { WorkspaceEntity } from '../accounts/workspace.entity.js';
import type { AuditActor, AuditChange } from '../audit/audit-log.js';
import { ManagedChanges, type ManagedChange } from '../management/managed-changes.js';
import { reachOf, wholeAccount, type Reach } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { hashKey, newApiKey } from '../core/ids.js';
import { Clock } from '../core/time.js';
import { readRaise, type RaiseDto } from '../shared/http/temporary-raise.dto.js';
import { isKeyHash } from '../shared/http/field-patterns.js';
import type { ListPart } from '../shared/http/page.dto.js';
import type { ApiKeyEntity, KeyRestrictions } from './api-key.entity.js';
import { KeyCache } from './key-cache.js';
import { KeysRepository, type FormerSecret, type KeyChanges, type KeyListing } from './keys.repository.js';
import { API_KEY, endedSecret, raisedKey, rotatedKey } from './managed-key.js';
import { keyLabel, newKeyRow, type KeyDescription } from './new-key.js';

/** A key and its new secret: the only moment at which the secret is known. */
export interface IssuedKey {
  readonly key: string;
  readonly row: ApiKeyEntity;
}

/**
 * The keys of an account and every change of them. A change is in force in this process when it returns, and everywhere
 * within five seconds. Keys beyond the reach of the one that requests it do not exist.
 */
@Injectable()
export class KeysService {
  constructor(
    private readonly keys: KeysRepository,
    private readonly cache: KeyCache,
    private readonly workspaces: WorkspaceDirectory,
    private readonly changes: ManagedChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * @param actor who requests it: the key belongs to the actor's account, and is bound to a workspace where the actor's
   *   key is
   * @param workspace id or slug of the key's workspace; undefined: that of the actor, or the account's default one. A
   *   management key is bound to a workspace that is stated
   * @throws GatewayError `invalid-request` for a time in the past and for restrictions that its kind cannot have,
   *   `not-found` for an unknown workspace or one of another account
   */
  async issue(actor: AuditActor, description: KeyDescription, workspace: string | undefined): Promise<IssuedKey> {
    const { accountId } = actor;
    if (description.expiresAt && description.expiresAt.getTime() <= this.clock.now())
      throw new GatewayError('invalid-request', 'expires_at: must be in the future');
    assertInfers(description.kind, description);
    const reach = reachOf(actor);
    const isPlaced = workspace !== undefined || reach.boundTo !== undefined;
    const home = {
      accountId,
      workspaceId: await this.workspaces.idOrDefault(reach, workspace),
      isWorkspaceBound: description.kind === 'management' && isPlaced,
    };
    const key = newApiKey();
    return this.changes.run(actor, async (manager, at) => {
      // The workspace must not be deleted meanwhile.
      await this.workspaces.lockShared(manager, accountId, home.workspaceId);
      const row = await this.keys.insert(manager, newKeyRow(key, home, description, at));
      return { result: { key, row }, entries: [API_KEY.created(row)], forget: () => this.cache.forget(row.hash) };
    });
  }

  /**
   * Keys in the order of `sort`, with the total number.
   * @param workspace id or slug; only its keys are listed
   * @throws GatewayError `not-found` for the workspace
   */
  async list(
    reach: Reach,
    { workspace, ...page }: Omit<KeyListing, 'workspaceId'> & { readonly workspace: string | undefined },
  ): Promise<ListPart<ApiKeyEntity>> {
    const workspaceId = page.includeDeleted
      ? await this.workspaces.idEvenIfDeleted(reach, workspace)
      : await this.workspaces.idIfNamed(reach, workspace);
    return this.keys.list(reach, { ...page, workspaceId });
  }

  async find(reach: Reach, hash: string): Promise<ApiKeyEntity | null> {
    return isKeyHash(hash) ? this.keys.find(reach, hash) : null;
  }

  /** @throws GatewayError `not-found` */
  async get(reach: Reach, hash: string): Promise<ApiKeyEntity> {
    const row = await this.find(reach, hash);
    if (!row) throw noSuchKey();
    return row;
  }

  /**
   * Whether each hash is that of a key within reach; disabled and expired keys count, deleted ones do not.
   * @param manager of the caller's transaction, if there is one
   */
  async ownsAll(reach: Reach, hashes: readonly string[], manager?: EntityManager): Promise<boolean> {
    const wanted = [...new Set(hashes)];
    if (!wanted.every(isKeyHash)) return false;
    return wanted.length === 0 || (await this.keys.countOwned(reach, wanted, manager)) === wanted.length;
  }

  /**
   * @throws GatewayError `not-found`; `invalid-request` instead of disabling the last management key of the account,
   *   and for restrictions that its kind cannot have
   */
  async change(actor: AuditActor, hash: string, changes: KeyChanges): Promise<ApiKeyEntity> {
    return this.write(actor, hash, changes.disabled === true, async (manager, before, at) => {
      assertInfers(before.kind, changes);
      return API_KEY.update(before, changes, () => this.keys.write(manager, before, { ...changes, updatedAt: at }));
    });
  }

  /**
   * Gives a key another secret. Everything else stays, including its hash, by which other records refer to it.
   * @param graceSeconds how long the former secrets stay valid at most; 0: they end at once
   * @throws GatewayError `not-found`; `invalid-request` for an expired key
   */
  async rotate(actor: AuditActor, hash: string, graceSeconds: number): Promise<IssuedKey> {
    const key = newApiKey();
    const secret = { hash: hashKey(key), label: keyLabel(key) };
    return this.write(actor, hash, false, async (manager, before, at) => {
      if (before.expiresAt && before.expiresAt <= at)
        throw new GatewayError(
          'invalid-request',
          'The key has expired: no secret of it would work; create another key.',
        );
      const formerEndAt = new Date(at.getTime() + graceSeconds * 1_000);
      const row = await this.keys.addSecret(manager, before, { ...secret, formerEndAt }, at);
      return { result: { key, row }, entries: [rotatedKey(before, row, formerEndAt)] };
    });
  }

  /**
   * Raises the limit of a key until a moment, replacing an earlier raise.
   * @throws GatewayError `not-found`; `invalid-request` for a key without a limit, and for an end that has passed
   */
  async raise(actor: AuditActor, hash: string, body: RaiseDto): Promise<ApiKeyEntity> {
    return this.write(actor, hash, false, async (manager, before, at) => {
      if (before.limitUsd === null) throw new GatewayError('invalid-request', 'The key has no limit to be raised.');
      const { amount, until } = readRaise(body, at.getTime());
      const row = await this.keys.write(manager, before, { raisedUsd: amount, raisedUntil: until, updatedAt: at });
      return { result: row, entries: [raisedKey(before, row)] };
    });
  }

  /**
   * Disables all keys of a user within reach at once.
   * @returns how many of them were enabled before
   * @throws GatewayError `invalid-request` where no management key of the account would be left
   */
  async disableOf(actor: AuditActor, creatorUserId: string): Promise<number> {
    const { accountId } = actor;
    const reach = reachOf(actor);
    return this.changes.run(actor, async (manager, at) => {
      // Locks in the same order as a change of one key.
      const usable = await this.keys.lockUsableManagement(manager, accountId, at);
      const isTheirs = usable.length > 0 && usable.every((key) => key.creatorUserId === creatorUserId);
      // A bound key disables none of these.
      if (isTheirs && reach.boundTo === undefined) throw lastManagementKey();
      const secrets: string[] = [];
      const entries: AuditChange[] = [];
      for await (const keys of this.keys.lockOf(manager, reach, { creatorUserId, disabled: false })) {
        const hashes = keys.map(({ hash }) => hash);
        const disabled = new Map(
          (await this.keys.disable(manager, accountId, hashes, at)).map((key) => [key.hash, key]),
        );
        entries.push(...keys.map((key) => API_KEY.updated(key, disabled.get(key.hash)!)));
        secrets.push(...(await this.keys.listSecrets(manager, hashes, at)));
      }
      return { result: entries.length, entries, forget: () => this.forget(secrets) };
    });
  }

  /** Secrets of a key that still work beside the latest one. */
  async listFormerSecrets({ accountId, hash }: ApiKeyEntity): Promise<readonly FormerSecret[]> {
    return this.keys.listFormerSecrets(accountId, hash, new Date(this.clock.now()));
  }

  /**
   * Ends a former secret of a key before its time of grace is over.
   * @throws GatewayError `not-found` for a secret that has ended, and for the latest one
   */
  async endSecret(actor: AuditActor, hash: string, id: string): Promise<void> {
    await this.write(actor, hash, false, async (manager, before, at) => {
      const former = await this.keys.listFormerSecrets(before.accountId, hash, at, manager);
      const secret = former.find((candidate) => candidate.id === id);
      if (!secret) throw new GatewayError('not-found', 'The key has no former secret with this id.');
      await this.keys.endSecret(manager, before, id, at);
      return { result: undefined, entries: [endedSecret(before, secret)] };
    });
  }

  /** @throws GatewayError `not-found`; `invalid-request` instead of deleting the last management key of the account */
  async revoke(actor: AuditActor, hash: string): Promise<void> {
    await this.write(actor, hash, true, async (manager, before, at) => {
      const result = await this.keys.write(manager, before, { deletedAt: at, updatedAt: at });
      return { result, entries: [API_KEY.deleted(before)] };
    });
  }

  /**
   * Deletes the keys of a workspace within the change that deletes it: even if they are out of use, they could be
   * enabled again.
   * @throws GatewayError `invalid-request` while one of them is usable
   */
  async removeOf(manager: EntityManager, { accountId, id }: WorkspaceEntity, at: Date): Promise<ManagedChange<void>> {
    // Locks in the same order as a change of one key.
    await this.keys.lockUsableManagement(manager, accountId, at);
    let active = 0;
    const secrets: string[] = [];
    const entries: AuditChange[] = [];
    for await (const keys of this.keys.lockOf(manager, wholeAccount(accountId), { workspaceId: id })) {
      for (const key of keys) {
        if (!key.disabled && (key.expiresAt === null || key.expiresAt > at)) active++;
        entries.push(API_KEY.deleted(key));
      }
      secrets.push(...(await this.keys.listSecrets(manager, keys.map(({ hash }) => hash), at))); // oxfmt-ignore
    }
    if (active > 0) throw hasActiveKeys(active);
    await this.keys.removeOf(manager, accountId, id, at);
    return {
      result: undefined,
      entries,
      // This replica may still have a key in its cache that another replica disabled.
      forget: () => this.forget(secrets),
    };
  }

  /** @param ends that the key cannot be used afterwards */
  private async write<Result>(
    actor: AuditActor,
    hash: string,
    ends: boolean,
    work: (manager: EntityManager, before: ApiKeyEntity, at: Date) => Promise<ManagedChange<Result>>,
  ): Promise<Result> {
    if (!isKeyHash(hash)) throw noSuchKey();
    const reach = reachOf(actor);
    return this.changes.run(actor, async (manager, at) => {
      // A bound key cannot end the last management key of the account, which is beyond its reach.
      if (ends && reach.boundTo === undefined) await this.assertNotLast(manager, reach.accountId, hash, at);
      const before = await this.keys.lock(manager, reach, hash);
      if (!before) throw noSuchKey();
      const change = await work(manager, before, at);
      const secrets = await this.keys.listSecrets(manager, [hash], at);
      return { ...change, forget: () => this.forget(secrets) };
    });
  }

  /** Keys are cached by their secrets. */
  private forget(secrets: readonly string[]): void {
    for (const secret of secrets) this.cache.forget(secret);
  }

  private async assertNotLast(manager: EntityManager, accountId: string, hash: string, at: Date): Promise<void> {
    const usable = await this.keys.lockUsableManagement(manager, accountId, at);
    if (usable.length !== 1 || usable[0]?.hash !== hash) return;
    throw lastManagementKey();
  }
}

const lastManagementKey = (): GatewayError =>
  new GatewayError(
    'invalid-request',
    'The last management key of the account cannot be deleted or disabled; create another first, without workspace_id.',
  );

/** A restriction without effect is refused: management keys call no models. */
function assertInfers(kind: ApiKeyEntity['kind'], requested: Partial<KeyRestrictions>): void {
  if (kind === 'inference') return;
  const field = requested.rateLimits ? 'rate_limits' : requested.allowedModels ? 'allowed_models' : undefined;
  if (field)
    throw new GatewayError('invalid-request', `${field}: is for inference keys; management keys call no models`);
}

const hasActiveKeys = (keys: number): GatewayError =>
  new GatewayError(
    'invalid-request',
    `The workspace still has ${keys} active ${keys === 1 ? 'key' : 'keys'}; delete or disable ${keys === 1 ? 'it' : 'them'} first.`,
  );

const noSuchKey = (): GatewayError => new GatewayError('not-found', 'There is no key with this hash.');
