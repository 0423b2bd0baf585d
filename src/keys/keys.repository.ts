import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, IsNull, Raw, Repository, type EntityManager, type FindOptionsWhere } from 'typeorm';
import type { Caller, KeyKind, RateLimits, Reach } from '../core/caller.js';
import { Egress, type EgressRules } from '../core/egress.js';
import type { Tags } from '../core/tags.js';
import { SpendingWindowEntity } from '../ledger/spending-window.entity.js';
import { batches } from '../shared/queues/batches.js';
import { insertReturning, updateReturning } from '../shared/database/returned-rows.js';
import { listNewest } from '../shared/database/newest-first.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';
import type { ActiveKey } from './active-key.js';
import type { ApiKeySecretEntity } from './api-key-secret.entity.js';
import { ApiKeyEntity, type KeyRestrictions, type StoredRateLimits } from './api-key.entity.js';
import type { KeySort } from './list-keys.dto.js';

/** Columns of a key that may change after its creation. */
export type KeyChanges = Partial<
  Pick<ApiKeyEntity, 'name' | 'disabled' | 'limitUsd' | 'limitReset' | 'includeByokInLimit' | 'tags'> & KeyRestrictions
>;

/** A page of the keys of an account. An undefined field filters nothing. */
export interface KeyListing extends Page {
  readonly workspaceId: string | undefined;
  readonly creatorUserId: string | undefined;
  readonly kind: KeyKind | undefined;
  readonly disabled: boolean | undefined;
  /** A part of the names of the listed keys, case-insensitive. */
  readonly name: string | undefined;
  readonly includeDeleted: boolean;
  readonly sort: KeySort;
}

/** Several keys of an account. */
export type KeyGroup = { readonly workspaceId: string } | { readonly creatorUserId: string; readonly disabled: false };

/** The changes that take a key out of use. */
type KeyDeactivation = KeyChanges & Partial<Pick<ApiKeyEntity, 'deletedAt' | 'raisedUsd' | 'raisedUntil'>>;

/** A secret that replaces a key's latest one. */
export interface NewSecret {
  readonly hash: string;
  readonly label: string;
  /** When the former secrets end, unless they end sooner. */
  readonly formerEndAt: Date;
}

/** A current or former secret, as it is stored. */
type StoredSecret = Pick<ApiKeySecretEntity, 'keyHash' | 'endsAt'>;

/** A secret that stays valid beside the latest one of its key. */
export interface FormerSecret {
  /** Hash of the secret. */
  readonly id: string;
  /** Null: it was replaced by a release that kept no labels. */
  readonly label: string | null;
  readonly endsAt: Date;
}

/** The column of each sort order, which precedes the moment of creation. The counter is the lifetime one. */
const ORDERS: Readonly<Record<KeySort, { readonly by: string; readonly nulls: 'NULLS LAST' | undefined } | undefined>> =
  {
    created_at: undefined,
    usage: { by: 'coalesce(spending.used, 0)', nulls: undefined },
    last_used_at: { by: 'spending.lastUsedAt', nulls: 'NULLS LAST' },
  };

/**
 * Secrets of a key that may stay valid beside the latest one: of more, the oldest end at once. Chosen: a rotation whose
 * answer was lost can be repeated, and the number stays bounded.
 */
const FORMER_SECRETS_MAX = 4;

type KeyConditions = FindOptionsWhere<ApiKeyEntity>;

interface ActiveRow {
  secret: string;
  secret_ends_at: Date | null;
  hash: string;
  account_id: string;
  workspace_id: string;
  kind: KeyKind;
  is_workspace_bound: boolean;
  creator_user_id: string | null;
  expires_at: Date | null;
  rate_limits: StoredRateLimits | null;
  allowed_models: readonly string[] | null;
  key_egress: EgressRules | null;
  account_egress: EgressRules | null;
  key_tags: Tags | null;
  workspace_tags: Tags;
  required_tags: readonly string[];
}

/** Keys of a group that are read at once: some milliseconds of work. */
const PART_KEYS = 200;

const LIFETIME_COUNTER = `spending.scope = 'key' AND spending.scopeId = key.hash AND spending.interval = 'lifetime'
  AND spending.windowStart = 'epoch'`;

/** The statements over `api_keys` and `api_key_secrets`. All of them ignore deleted keys. */
@Injectable()
export class KeysRepository {
  constructor(@InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>) {}

  /**
   * The keys with secrets of these hashes that are neither disabled nor deleted: the one read that is not scoped to an
   * account, since it identifies the caller.
   */
  async listActive(hashes: readonly string[]): Promise<ActiveKey[]> {
    const rows = await this.keys.query<ActiveRow[]>(
      `SELECT p.hash AS secret, s.ends_at AS secret_ends_at, k.hash, k.account_id, k.workspace_id, k.kind,
         k.is_workspace_bound, k.creator_user_id, k.expires_at, k.rate_limits, k.allowed_models, k.egress AS key_egress, a.egress AS account_egress,
         k.tags AS key_tags, w.tags AS workspace_tags, w.required_tags
       FROM unnest($1::char(64)[]) AS p (hash)
       LEFT JOIN api_key_secrets s ON s.hash = p.hash
       JOIN api_keys k ON k.hash = coalesce(s.key_hash, p.hash)
       JOIN accounts a ON a.id = k.account_id
       JOIN workspaces w ON w.account_id = k.account_id AND w.id = k.workspace_id
       WHERE NOT k.disabled AND k.deleted_at IS NULL`,
      [hashes],
    );
    return rows.map(readActive);
  }

  async find(reach: Reach, hash: string): Promise<ApiKeyEntity | null> {
    return this.keys.findOneBy(withinReach(reach, { hash, deletedAt: IsNull() }));
  }

  /** Keys in the requested order, then the newest first, with the total number. */
  async list(reach: Reach, listing: KeyListing): Promise<ListPart<ApiKeyEntity>> {
    const { name, workspaceId, creatorUserId, kind, disabled, sort } = listing;
    const where = withinReach(reach, {
      ...(!listing.includeDeleted && { deletedAt: IsNull() }),
      ...(workspaceId !== undefined && { workspaceId }),
      ...(creatorUserId !== undefined && { creatorUserId }),
      ...(kind !== undefined && { kind }),
      ...(disabled !== undefined && { disabled }),
      // No pattern: every character is literal.
      ...(name !== undefined && { name: Raw((column) => `position(lower(:name) in lower(${column})) > 0`, { name }) }),
    });
    const found = this.keys.createQueryBuilder('key').where(where);
    const order = ORDERS[sort];
    if (!order) return listNewest(found, 'hash', 'ASC', listing);
    found.leftJoin(SpendingWindowEntity, 'spending', LIFETIME_COUNTER).orderBy(order.by, 'DESC', order.nulls);
    const [rows, total] = await listNewest(found, 'hash', 'ASC', { ...listing, after: undefined });
    // A figure that changes is no position.
    return [rows, total, undefined];
  }

  /** Number of manageable keys among these hashes, each counted once. */
  async countOwned(
    { accountId, boundTo }: Reach,
    hashes: readonly string[],
    manager: EntityManager = this.keys.manager,
  ): Promise<number> {
    const [row] = await manager.query<{ keys: number }[]>(
      `SELECT count(*)::int AS keys FROM api_keys
       WHERE account_id = $1 AND hash = ANY($2) AND deleted_at IS NULL
         AND ($3::uuid IS NULL OR workspace_id = $3 AND (kind = 'inference' OR is_workspace_bound))`,
      [accountId, hashes, boundTo ?? null],
    );
    return row?.keys ?? 0;
  }

  /** @returns the row as it is stored */
  async insert(manager: EntityManager, key: ApiKeyEntity): Promise<ApiKeyEntity> {
    return insertReturning(manager, ApiKeyEntity, key);
  }

  /**
   * Adds a secret to a key that the transaction has locked. Former ones end at the given time, or sooner if they were
   * to; the key's limits, and the records that refer to its hash, stay.
   * @returns the row as it is stored now
   */
  async addSecret(manager: EntityManager, key: ApiKeyEntity, secret: NewSecret, at: Date): Promise<ApiKeyEntity> {
    const { accountId, hash, createdAt } = key;
    const insert = (secretHash: string, label: string, since: Date): Promise<unknown> =>
      manager.query(
        `INSERT INTO api_key_secrets (hash, account_id, key_hash, label, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING`,
        [secretHash, accountId, hash, label, since],
      );
    // The first secret of the key, if it was never rotated.
    await insert(hash, key.label, createdAt);
    await manager.query(
      `UPDATE api_key_secrets SET ends_at = $3
       WHERE account_id = $1 AND key_hash = $2 AND (ends_at IS NULL OR ends_at > $3)`,
      [accountId, hash, secret.formerEndAt],
    );
    await manager.query(
      `UPDATE api_key_secrets SET ends_at = $3
       WHERE hash IN (
         SELECT hash FROM api_key_secrets WHERE account_id = $1 AND key_hash = $2 AND ends_at > $3
         ORDER BY ends_at DESC, created_at DESC OFFSET $4
       )`,
      [accountId, hash, at, FORMER_SECRETS_MAX],
    );
    await insert(secret.hash, secret.label, at);
    return this.write(manager, key, { label: secret.label, updatedAt: at });
  }

  /** A secret of a rotated key; undefined for any other. */
  async findSecret(manager: EntityManager, hash: string): Promise<StoredSecret | undefined> {
    const [row] = await manager.query<{ key_hash: string; ends_at: Date | null }[]>(
      `SELECT key_hash, ends_at FROM api_key_secrets WHERE hash = $1`,
      [hash],
    );
    return row && { keyHash: row.key_hash, endsAt: row.ends_at };
  }

  /** Former secrets of a key that still work beside the latest one, the one that ends last first. */
  async listFormerSecrets(
    accountId: string,
    hash: string,
    at: Date,
    manager: EntityManager = this.keys.manager,
  ): Promise<FormerSecret[]> {
    const rows = await manager.query<{ hash: string; label: string | null; ends_at: Date }[]>(
      `SELECT hash, label, ends_at FROM api_key_secrets WHERE account_id = $1 AND key_hash = $2 AND ends_at > $3
       ORDER BY ends_at DESC, created_at DESC`,
      [accountId, hash, at],
    );
    return rows.map(({ hash: id, label, ends_at: endsAt }) => ({ id, label, endsAt }));
  }

  /** Ends a former secret of a key that the transaction has locked. */
  async endSecret(manager: EntityManager, { accountId, hash }: ApiKeyEntity, id: string, at: Date): Promise<void> {
    await manager.query(
      `UPDATE api_key_secrets SET ends_at = $4 WHERE account_id = $1 AND key_hash = $2 AND hash = $3 AND ends_at > $4`,
      [accountId, hash, id, at],
    );
  }

  /** Hashes of all secrets by which these keys can be used, or could until a moment ago. */
  async listSecrets(manager: EntityManager, hashes: readonly string[], at: Date): Promise<string[]> {
    const rotated = await manager.query<{ hash: string }[]>(
      `SELECT hash FROM api_key_secrets WHERE key_hash = ANY($1) AND (ends_at IS NULL OR ends_at >= $2)`,
      [hashes, at],
    );
    return [...new Set([...hashes, ...rotated.map(({ hash }) => hash)])];
  }

  /**
   * The current row, locked until the transaction ends: the audit log's "before" is then exactly what the change
   * replaces.
   */
  async lock(manager: EntityManager, reach: Reach, hash: string): Promise<ApiKeyEntity | null> {
    const where = withinReach(reach, { hash, deletedAt: IsNull() });
    return manager.findOne(ApiKeyEntity, { where, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * All keys of a group within reach, in the order of their hashes, locked until the transaction ends. They come in
   * parts, between which other work can run.
   */
  async *lockOf(manager: EntityManager, reach: Reach, group: KeyGroup): AsyncGenerator<readonly ApiKeyEntity[]> {
    const { accountId } = reach;
    const locked = await manager
      .createQueryBuilder(ApiKeyEntity, 'key')
      .select('key.hash', 'hash')
      .setLock('pessimistic_write')
      .where(withinReach(reach, { ...group, deletedAt: IsNull() }))
      .orderBy('key.hash')
      .getRawMany<{ hash: string }>();
    for (const part of batches(locked, PART_KEYS)) {
      const hashes = part.map(({ hash }) => hash);
      yield await manager.find(ApiKeyEntity, { where: { accountId, hash: In(hashes) }, order: { hash: 'ASC' } });
    }
  }

  /** Disables keys that the transaction has locked. @returns them as they are stored now, unordered */
  async disable(
    manager: EntityManager,
    accountId: string,
    hashes: readonly string[],
    at: Date,
  ): Promise<readonly ApiKeyEntity[]> {
    return updateReturning(manager, ApiKeyEntity, { accountId, hash: In(hashes) }, { disabled: true, updatedAt: at });
  }

  /** Deletes all keys of a workspace. */
  async removeOf(manager: EntityManager, accountId: string, workspaceId: string, at: Date): Promise<void> {
    const where = { accountId, workspaceId, deletedAt: IsNull() };
    await manager.update(ApiKeyEntity, where, { deletedAt: at, updatedAt: at });
  }

  /**
   * The management keys that reach all of the account and are usable at that time, locked until the transaction ends:
   * two administrators cannot disable each other's last key.
   */
  async lockUsableManagement(manager: EntityManager, accountId: string, at: Date): Promise<readonly ApiKeyEntity[]> {
    const management = await manager
      .createQueryBuilder(ApiKeyEntity, 'key')
      .setLock('pessimistic_write')
      .where({ accountId, kind: 'management', isWorkspaceBound: false, disabled: false, deletedAt: IsNull() })
      .orderBy('key.hash')
      .getMany();
    return management.filter(({ expiresAt }) => expiresAt === null || expiresAt > at);
  }

  /** Overwrites a row that the transaction has locked. @returns it as it is stored now */
  async write(
    manager: EntityManager,
    { accountId, hash }: ApiKeyEntity,
    values: KeyDeactivation & Partial<Pick<ApiKeyEntity, 'label'>> & Pick<ApiKeyEntity, 'updatedAt'>,
  ): Promise<ApiKeyEntity> {
    const [row] = await updateReturning(manager, ApiKeyEntity, { accountId, hash }, values);
    return row!;
  }
}

/**
 * Limits conditions to the keys that a caller may manage. A bound key manages neither keys of other workspaces nor, in
 * its own, management keys of the account: a new secret of one would reach beyond the workspace.
 */
function withinReach({ accountId, boundTo }: Reach, which: KeyConditions): KeyConditions | KeyConditions[] {
  if (boundTo === undefined) return { ...which, accountId };
  const within = { ...which, accountId, workspaceId: boundTo };
  const ofKinds: Readonly<Record<KeyKind, KeyConditions>> = {
    inference: { ...within, kind: 'inference' },
    management: { ...within, kind: 'management', isWorkspaceBound: true },
  };
  return typeof which.kind === 'string' ? ofKinds[which.kind] : Object.values(ofKinds);
}

function readActive(row: ActiveRow): ActiveKey {
  const egress = Egress.of(row.account_egress, row.key_egress);
  const rateLimits = readRateLimits(row.rate_limits);
  const caller = {
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    keyHash: row.hash,
    ...(row.secret !== row.hash && { secretHash: row.secret }),
    kind: row.kind,
    ...(row.is_workspace_bound && { boundTo: row.workspace_id }),
    userId: row.creator_user_id,
    ...(egress && { egress }),
    ...(rateLimits && { rateLimits }),
    ...(row.allowed_models && { allowedModels: row.allowed_models }),
    ...tagTerms(row),
  };
  const ends = [row.expires_at, row.secret_ends_at].flatMap((end) => end?.getTime() ?? []);
  return { caller: Object.freeze(caller), expiresAtMs: ends.length === 0 ? null : Math.min(...ends) };
}

/** Computed here, once for all requests of the key. */
function tagTerms({ key_tags, workspace_tags, required_tags }: ActiveRow): Pick<Caller, 'tags' | 'requiredTags'> {
  const tags = { ...workspace_tags, ...key_tags };
  const missing = required_tags.filter((name) => !Object.hasOwn(tags, name));
  return {
    ...(Object.keys(tags).length > 0 && { tags: Object.freeze(tags) }),
    ...(missing.length > 0 && { requiredTags: missing }),
  };
}

function readRateLimits(stored: StoredRateLimits | null): RateLimits | undefined {
  if (!stored) return undefined;
  const { requests_per_minute: requests, tokens_per_minute: tokens } = stored;
  return {
    ...(requests !== null && { requestsPerMinute: requests }),
    ...(tokens !== null && { tokensPerMinute: tokens }),
  };
}
