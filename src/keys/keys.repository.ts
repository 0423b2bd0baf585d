import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, IsNull, Repository, type EntityManager } from 'typeorm';
import type { KeyKind } from '../core/caller.js';
import { Egress, type EgressRules } from '../core/egress.js';
import { batches } from '../shared/batches.js';
import { insertReturning, updateReturning } from '../shared/database/returned-rows.js';
import type { ActiveKey } from './active-key.js';
import { ApiKeyEntity } from './api-key.entity.js';

/** What may change about a key once it is made. */
export type KeyChanges = Partial<
  Pick<ApiKeyEntity, 'name' | 'disabled' | 'limitUsd' | 'limitReset' | 'includeByokInLimit' | 'egress'>
>;

/** A page of the keys of an account. */
export interface KeyListing {
  readonly workspaceId: string | undefined;
  readonly includeDisabled: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** What takes a key out of use. */
type KeyDeactivation = KeyChanges & Partial<Pick<ApiKeyEntity, 'deletedAt'>>;

interface ActiveRow {
  hash: string;
  account_id: string;
  workspace_id: string;
  kind: KeyKind;
  creator_user_id: string | null;
  expires_at: Date | null;
  key_egress: EgressRules | null;
  account_egress: EgressRules | null;
}

/** Keys of a workspace that are read at once: some milliseconds' work. */
const PART_KEYS = 200;

/** The statements over `api_keys`. A deleted key is there for none of them. */
@Injectable()
export class KeysRepository {
  constructor(@InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>) {}

  /**
   * Those of the hashes that are neither disabled nor deleted: the one read that is not scoped,
   * since it tells who is asking.
   */
  async listActive(hashes: readonly string[]): Promise<ActiveKey[]> {
    const rows = await this.keys.query<ActiveRow[]>(
      `SELECT k.hash, k.account_id, k.workspace_id, k.kind, k.creator_user_id, k.expires_at,
         k.egress AS key_egress, a.egress AS account_egress
       FROM api_keys k JOIN accounts a ON a.id = k.account_id
       WHERE k.hash = ANY($1) AND NOT k.disabled AND k.deleted_at IS NULL`,
      [hashes],
    );
    return rows.map(readActive);
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

  /** How many keys of the account these hashes name, each counted once. */
  async countOwned(
    accountId: string,
    hashes: readonly string[],
    manager: EntityManager = this.keys.manager,
  ): Promise<number> {
    const [row] = await manager.query<{ keys: number }[]>(
      `SELECT count(*)::int AS keys FROM api_keys WHERE account_id = $1 AND hash = ANY($2) AND deleted_at IS NULL`,
      [accountId, hashes],
    );
    return row?.keys ?? 0;
  }

  /** @returns the row as it is stored */
  async insert(manager: EntityManager, key: ApiKeyEntity): Promise<ApiKeyEntity> {
    return insertReturning(manager, ApiKeyEntity, key);
  }

  /**
   * The row as it is now, kept so until the transaction ends: what the log tells as "before" is what the very change
   * replaces.
   */
  async lock(manager: EntityManager, accountId: string, hash: string): Promise<ApiKeyEntity | null> {
    const where = { accountId, hash, deletedAt: IsNull() };
    return manager.findOne(ApiKeyEntity, { where, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * All keys of a workspace in the order of their hashes, kept so until the transaction ends. They come in parts,
   * between which others have their turn.
   */
  async *lockOf(
    manager: EntityManager,
    accountId: string,
    workspaceId: string,
  ): AsyncGenerator<readonly ApiKeyEntity[]> {
    const locked = await manager.query<{ hash: string }[]>(
      `SELECT hash FROM api_keys WHERE account_id = $1 AND workspace_id = $2 AND deleted_at IS NULL
       ORDER BY hash FOR UPDATE`,
      [accountId, workspaceId],
    );
    for (const part of batches(locked, PART_KEYS)) {
      const hashes = part.map(({ hash }) => hash);
      yield await manager.find(ApiKeyEntity, { where: { accountId, hash: In(hashes) }, order: { hash: 'ASC' } });
    }
  }

  /** Deletes all keys of a workspace. */
  async removeOf(manager: EntityManager, accountId: string, workspaceId: string, at: Date): Promise<void> {
    const where = { accountId, workspaceId, deletedAt: IsNull() };
    await manager.update(ApiKeyEntity, where, { deletedAt: at, updatedAt: at });
  }

  /**
   * The management keys of the account that can be used at that time, kept so until the transaction ends: two
   * administrators cannot take away each other's last key.
   */
  async lockUsableManagement(manager: EntityManager, accountId: string, at: Date): Promise<readonly ApiKeyEntity[]> {
    const management = await manager
      .createQueryBuilder(ApiKeyEntity, 'key')
      .setLock('pessimistic_write')
      .where({ accountId, kind: 'management', disabled: false, deletedAt: IsNull() })
      .orderBy('key.hash')
      .getMany();
    return management.filter(({ expiresAt }) => expiresAt === null || expiresAt > at);
  }

  /** Writes over a row that the transaction has locked. @returns it as it is stored since */
  async write(
    manager: EntityManager,
    { accountId, hash }: ApiKeyEntity,
    values: KeyDeactivation & Pick<ApiKeyEntity, 'updatedAt'>,
  ): Promise<ApiKeyEntity> {
    const [row] = await updateReturning(manager, ApiKeyEntity, { accountId, hash }, values);
    return row!;
  }
}

function readActive(row: ActiveRow): ActiveKey {
  const egress = Egress.of(row.account_egress, row.key_egress);
  const caller = {
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    keyHash: row.hash,
    kind: row.kind,
    userId: row.creator_user_id,
    ...(egress && { egress }),
  };
  return { caller: Object.freeze(caller), expiresAtMs: row.expires_at && row.expires_at.getTime() };
}
