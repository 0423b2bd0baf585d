import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository, type EntityManager } from 'typeorm';
import { AuditLog, type AuditActor } from '../audit/audit-log.js';
import type { KeyKind } from '../core/caller.js';
import type { ActiveKey } from './active-key.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { viewAuditedKey } from './audited-key.js';

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

/** What takes a key out of use. */
export type KeyEnding = KeyChanges & Partial<Pick<ApiKeyEntity, 'deletedAt'>>;

/** Whose keys are counted. */
export interface KeysOf {
  readonly workspaceId: string;
  /** Keys that were made for this user only. */
  readonly creatorUserId?: string | undefined;
}

/**
 * How a change went: `unchanged` where everything was so already, `absent` where there is no such key, `last` where the account would
 * be left without management key.
 */
export type ChangeOutcome = 'changed' | 'unchanged' | 'absent' | 'last';

interface ActiveRow {
  hash: string;
  account_id: string;
  workspace_id: string;
  kind: KeyKind;
  creator_user_id: string | null;
  expires_at: Date | null;
}

/** The statements over `api_keys`. A deleted key is there for none of them. Every change is in the audit log, or did not happen. */
@Injectable()
export class KeysRepository {
  constructor(
    @InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>,
    private readonly audit: AuditLog,
  ) {}

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

  /** Keys that could be used at that time: not deleted, not disabled, not expired. */
  async countActive(
    accountId: string,
    { workspaceId, creatorUserId }: KeysOf,
    at: Date,
    manager: EntityManager = this.keys.manager,
  ): Promise<number> {
    const [row] = await manager.query<{ keys: number }[]>(
      `SELECT count(*)::int AS keys FROM api_keys
       WHERE account_id = $1 AND workspace_id = $2 AND NOT disabled AND deleted_at IS NULL
         AND (expires_at IS NULL OR expires_at > $3) AND ($4::text IS NULL OR creator_user_id = $4)`,
      [accountId, workspaceId, at.toISOString(), creatorUserId ?? null],
    );
    return row?.keys ?? 0;
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

  /** @param permit what must hold of the key's surroundings up to the end; nothing is inserted where it throws */
  async insert(
    actor: AuditActor,
    key: ApiKeyEntity,
    permit: (manager: EntityManager) => Promise<void> = async () => undefined,
  ): Promise<void> {
    await this.transact(async (manager) => {
      await permit(manager);
      await manager.insert(ApiKeyEntity, key);
      await this.recordCreated(manager, actor, key);
    });
  }

  /** For those who insert in a transaction of their own: the last thing it does. */
  async recordCreated(manager: EntityManager, actor: AuditActor, key: ApiKeyEntity): Promise<void> {
    await this.audit.record(manager, actor, {
      action: 'api_key.create',
      target: key.hash,
      workspaceId: key.workspaceId,
      after: viewAuditedKey(key),
    });
  }

  /** Changes a key that stays usable. */
  async change(actor: AuditActor, hash: string, changes: KeyChanges, at: Date): Promise<ChangeOutcome> {
    return this.transact((manager) => this.write(manager, actor, hash, changes, at));
  }

  /**
   * Takes a key out of use, by disabling or deleting it, unless it is the account's last usable management key. The rows of
   * all of them are locked for the decision: two administrators cannot take away each other's last key.
   */
  async retire(actor: AuditActor, hash: string, ending: KeyEnding, at: Date): Promise<ChangeOutcome> {
    return this.transact(async (manager) => {
      const management = await manager
        .createQueryBuilder(ApiKeyEntity, 'key')
        .setLock('pessimistic_write')
        .where({ accountId: actor.accountId, kind: 'management', disabled: false, deletedAt: IsNull() })
        .orderBy('key.hash')
        .getMany();
      const usable = management.filter(({ expiresAt }) => expiresAt === null || expiresAt > at);
      if (usable.length === 1 && usable[0]?.hash === hash) return 'last';
      return this.write(manager, actor, hash, ending, at);
    });
  }

  /** At this level rows that were waited for are seen as they are now. */
  private transact<T>(act: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.keys.manager.transaction('READ COMMITTED', act);
  }

  private async write(
    manager: EntityManager,
    actor: AuditActor,
    hash: string,
    values: KeyEnding,
    at: Date,
  ): Promise<ChangeOutcome> {
    const where = { accountId: actor.accountId, hash, deletedAt: IsNull() };
    // Locked: what the log tells as "before" is what this very change replaces.
    const before = await manager.findOne(ApiKeyEntity, { where, lock: { mode: 'pessimistic_write' } });
    if (!before) return 'absent';
    if (!differs(before, values)) return 'unchanged';
    const after: ApiKeyEntity = { ...before, ...values, updatedAt: at };
    await manager.update(ApiKeyEntity, where, { ...values, updatedAt: at });
    await this.audit.record(manager, actor, {
      target: hash,
      workspaceId: before.workspaceId,
      before: viewAuditedKey(before),
      ...(after.deletedAt ? { action: 'api_key.delete' } : { action: 'api_key.update', after: viewAuditedKey(after) }),
    });
    return 'changed';
  }
}

function differs(key: ApiKeyEntity, values: KeyEnding): boolean {
  return (Object.keys(values) as (keyof KeyEnding)[]).some((name) => values[name] !== key[name]);
}
