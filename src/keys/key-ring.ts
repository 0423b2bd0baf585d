import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '../accounts/account-directory.js';
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
   * @param workspaceId the account's default workspace where undefined
   * @throws GatewayError `invalid-request` for a time gone by, `not-found` for a workspace of nobody or somebody else
   */
  async issue(accountId: string, description: KeyDescription, workspaceId: string | undefined): Promise<IssuedKey> {
    const createdAt = new Date(this.clock.now());
    if (description.expiresAt && description.expiresAt <= createdAt)
      throw new GatewayError('invalid-request', 'expires_at: must be in the future');
    const home = { accountId, workspaceId: await this.workspaceOf(accountId, workspaceId) };
    const key = newApiKey();
    const row = newKeyRow(key, home, description, createdAt);
    await this.keys.insert(row);
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

  /** @throws GatewayError `not-found`; `invalid-request` instead of disabling the last management key */
  async change(accountId: string, hash: string, changes: KeyChanges): Promise<ApiKeyEntity> {
    if (Object.keys(changes).length > 0) {
      const at = new Date(this.clock.now());
      await this.apply(hash, () =>
        changes.disabled
          ? this.keys.retire(accountId, hash, changes, at)
          : this.keys.change(accountId, hash, changes, at),
      );
    }
    return this.get(accountId, hash);
  }

  /** @throws GatewayError `not-found`; `invalid-request` instead of deleting the last management key */
  async revoke(accountId: string, hash: string): Promise<void> {
    const at = new Date(this.clock.now());
    await this.apply(hash, () => this.keys.retire(accountId, hash, { deletedAt: at }, at));
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

  private async workspaceOf(accountId: string, workspaceId: string | undefined): Promise<string> {
    if (workspaceId === undefined) {
      const home = await this.accounts.findDefaultWorkspace(accountId);
      if (home === null)
        throw new GatewayError('invalid-request', 'workspace_id: is required, as there is no default workspace');
      return home;
    }
    if (await this.accounts.hasWorkspace(accountId, workspaceId)) return workspaceId;
    throw new GatewayError('not-found', 'workspace_id: there is no such workspace');
  }
}

const noSuchKey = (): GatewayError => new GatewayError('not-found', 'There is no key with this hash.');
