import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import type { KeyKind } from '../core/caller.js';
import type { ActiveKey } from './active-key.js';
import { ApiKeyEntity } from './api-key.entity.js';

/** What may change about a key once it is made. */
export type KeyChanges = Partial<
  Pick<ApiKeyEntity, 'name' | 'disabled' | 'limitUsd' | 'limitReset' | 'includeByokInLimit'>
>;

/** A page of the keys of an account. */
export interface KeyListing {
  readonly workspaceId?: string;
  readonly includeDisabled: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** How a change went: `absent` where there is no such key, `last` where the account would be left without management key. */
export type ChangeOutcome = 'changed' | 'absent' | 'last';

interface ActiveRow {
  hash: string;
  account_id: string;
  workspace_id: string;
  kind: KeyKind;
  creator_user_id: string | null;
  expires_at: Date | null;
}

/** The statements over `api_keys`. A deleted key is there for none of them. */
@Injectable()
export class KeysRepository {
  constructor(@InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>) {}

  /** Those of the hashes that are neither disabled nor deleted: the one read that is not scoped, since it tells who is asking. */
  async listActive(hashes: readonly string[]): Promise<ActiveKey[]> {
    const rows = await this.keys.query<ActiveRow[]>(
      `SELECT hash, account_id, workspace_id, kind, creator_user_id, expires_at
       FROM api_keys WHERE hash = ANY($1) AND NOT disabled AND deleted_at IS NULL`,
      [hashes],
    );
    return rows.map((row) => ({
      caller: Object.freeze({
        accountId: row.account_id,
        workspaceId: row.workspace_id,
        keyHash: row.hash,
        kind: row.kind,
        userId: row.creator_user_id,
      }),
      expiresAtMs: row.expires_at && row.expires_at.getTime(),
    }));
  }

  async find(accountId: string, hash: string): Promise<ApiKeyEntity | null> {
    return this.keys.findOneBy({ accountId, hash, deletedAt: IsNull() });
  }

  /** Newest first. */
  async list(accountId: string, listing: KeyListing): Promise<ApiKeyEntity[]> {
    return this.keys.find({
      where: {
        accountId,
        deletedAt: IsNull(),
        ...(listing.workspaceId !== undefined && { workspaceId: listing.workspaceId }),
        ...(!listing.includeDisabled && { disabled: false }),
      },
      order: { createdAt: 'DESC', hash: 'ASC' },
      skip: listing.offset,
      take: listing.limit,
    });
  }

  async insert(key: ApiKeyEntity): Promise<void> {
    await this.keys.insert(key);
  }

  /** Changes a key that stays usable. */
  async change(accountId: string, hash: string, changes: KeyChanges, at: Date): Promise<ChangeOutcome> {
    return this.write(this.keys, accountId, hash, { ...changes, updatedAt: at });
  }

  /**
   * Takes a key out of use, by disabling or deleting it, unless it is the account's last usable management key. The rows of
   * all of them are locked for the decision: two administrators cannot take away each other's last key.
   */
  async retire(
    accountId: string,
    hash: string,
    changes: KeyChanges & Partial<Pick<ApiKeyEntity, 'deletedAt'>>,
    at: Date,
  ): Promise<ChangeOutcome> {
    // At this level rows that were waited for are seen as they are now.
    return this.keys.manager.transaction('READ COMMITTED', async (manager) => {
      const keys = manager.getRepository(ApiKeyEntity);
      const management = await keys
        .createQueryBuilder('key')
        .setLock('pessimistic_write')
        .where({ accountId, kind: 'management', disabled: false, deletedAt: IsNull() })
        .orderBy('key.hash')
        .getMany();
      const usable = management.filter(({ expiresAt }) => expiresAt === null || expiresAt > at);
      if (usable.length === 1 && usable[0]?.hash === hash) return 'last';
      return this.write(keys, accountId, hash, { ...changes, updatedAt: at });
    });
  }

  private async write(
    keys: Repository<ApiKeyEntity>,
    accountId: string,
    hash: string,
    values: Partial<ApiKeyEntity>,
  ): Promise<ChangeOutcome> {
    const { affected } = await keys.update({ accountId, hash, deletedAt: IsNull() }, values);
    return affected === 1 ? 'changed' : 'absent';
  }
}
