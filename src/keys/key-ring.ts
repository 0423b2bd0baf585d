import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountDirectory, type Home } from '../accounts/account-directory.js';
import type { AuditActor } from '../audit/audit-log.js';
import { GatewayError } from '../core/errors.js';
import { newApiKey } from '../core/ids.js';
import { Clock } from '../core/time.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { KeyCache } from './key-cache.js';
import { KeysRepository, type ChangeOutcome, type KeyChanges, type KeyListing } from './keys.repository.js';
import { newKeyRow, type KeyDescription } from './new-key.js';

/** A key just made: the only moment at which it is known. */
export interface IssuedKey {
  readonly key: string;
  readonly row: ApiKeyEntity;
}

const HASH = /^[0-9a-f]{64}$/;

/**
 * The keys of an account and every change of them. A change is in force in this process when it returns, and everywhere
 * within five seconds.
 */
@Injectable()
export class KeyRing {
  constructor(
    private readonly keys: KeysRepository,
    private readonly cache: KeyCache,
    private readonly accounts: AccountDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * @param actor who asks for it; the key is one of the same account
   * @param workspaceId the account's default workspace where undefined
   * @throws GatewayError `invalid-request` for a time gone by, `not-found` for a workspace of nobody or somebody else
   */
  async issue(actor: AuditActor, description: KeyDescription, workspaceId: string | undefined): Promise<IssuedKey> {
    const { accountId } = actor;
    const createdAt = new Date(this.clock.now());
    if (description.expiresAt && description.expiresAt <= createdAt)
      throw new GatewayError('invalid-request', 'expires_at: must be in the future');
    const home = { accountId, workspaceId: workspaceId ?? (await this.defaultWorkspaceOf(accountId)) };
    const key = newApiKey();
    const row = newKeyRow(key, home, description, createdAt);
    await this.keys.insert(actor, row, (manager) => this.keepWorkspace(manager, home));
    this.cache.forget(row.hash);
    return { key, row };
  }

  /** Newest first. */
  async list(accountId: string, listing: KeyListing): Promise<ApiKeyEntity[]> {
    return this.keys.list(accountId, listing);
  }

  async find(accountId: string, hash: string): Promise<ApiKeyEntity | null> {
    return HASH.test(hash) ? this.keys.find(accountId, hash) : null;
  }

  /** @throws GatewayError `not-found` */
  async get(accountId: string, hash: string): Promise<ApiKeyEntity> {
    const row = await this.find(accountId, hash);
    if (!row) throw noSuchKey();
    return row;
  }

  /**
   * Keys of a workspace that can be used now: not deleted, not disabled, not expired.
   * @param userId only those made for this user; of everybody where undefined
   * @param manager of the caller's transaction, where it is in one
   */
  async countActive(accountId: string, workspaceId: string, userId?: string, manager?: EntityManager): Promise<number> {
    const at = new Date(this.clock.now());
    return this.keys.countActive(accountId, { workspaceId, creatorUserId: userId }, at, manager);
  }

  /**
   * Whether every one of the hashes is that of a key of the account; disabled and expired keys are keys, deleted ones are not.
   * @param manager of the caller's transaction, where it is in one
   */
  async ownsAll(accountId: string, hashes: readonly string[], manager?: EntityManager): Promise<boolean> {
    const wanted = [...new Set(hashes)];
    // The column pads with blanks: only what is exactly a hash is compared.
    if (!wanted.every((hash) => HASH.test(hash))) return false;
    return wanted.length === 0 || (await this.keys.countOwned(accountId, wanted, manager)) === wanted.length;
  }

  /** @throws GatewayError `not-found`; `invalid-request` instead of disabling the last management key */
  async change(actor: AuditActor, hash: string, changes: KeyChanges): Promise<ApiKeyEntity> {
    if (Object.keys(changes).length > 0) {
      const at = new Date(this.clock.now());
      await this.apply(hash, () =>
        changes.disabled ? this.keys.retire(actor, hash, changes, at) : this.keys.change(actor, hash, changes, at),
      );
    }
    return this.get(actor.accountId, hash);
  }

  /** @throws GatewayError `not-found`; `invalid-request` instead of deleting the last management key */
  async revoke(actor: AuditActor, hash: string): Promise<void> {
    const at = new Date(this.clock.now());
    await this.apply(hash, () => this.keys.retire(actor, hash, { deletedAt: at }, at));
  }

  private async apply(hash: string, change: () => Promise<ChangeOutcome>): Promise<void> {
    if (!HASH.test(hash)) throw noSuchKey();
    const outcome = await change();
    this.cache.forget(hash);
    if (outcome === 'absent') throw noSuchKey();
    if (outcome === 'last')
      throw new GatewayError(
        'invalid-request',
        'The last management key cannot be deleted or disabled; create another first.',
      );
  }

  private async defaultWorkspaceOf(accountId: string): Promise<string> {
    const workspaceId = await this.accounts.findDefaultWorkspace(accountId);
    if (workspaceId !== null) return workspaceId;
    throw new GatewayError('invalid-request', 'workspace_id: is required, as there is no default workspace');
  }

  /** In the transaction that makes the key: the workspace cannot be deleted meanwhile. */
  private async keepWorkspace(manager: EntityManager, { accountId, workspaceId }: Home): Promise<void> {
    if (await this.accounts.keepWorkspace(manager, accountId, workspaceId)) return;
    throw new GatewayError('not-found', 'workspace_id: there is no such workspace');
  }
}

const noSuchKey = (): GatewayError => new GatewayError('not-found', 'There is no key with this hash.');
