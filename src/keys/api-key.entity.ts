import { Expose } from 'class-transformer';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.js';
import { WorkspaceEntity } from '../accounts/workspace.entity.js';
import type { KeyKind } from '../core/caller.js';
import type { EgressRules } from '../core/egress.js';
import type { PicoUsd } from '../core/money/credits.js';
import type { Tags } from '../core/tags.js';
import { RESET_INTERVALS, type Interval } from '../core/time.js';
import { isOneOf } from '../shared/database/is-one-of.js';
import { usdColumn } from '../ledger/usd-column.js';
import { ExposeTime, ExposeUsd } from '../shared/http/column-exposure.js';

/** Interval after which a key's limit is reset. */
export type LimitReset = Exclude<Interval, 'lifetime'>;

/** Requests and tokens of a key in a minute, as stored and shown. Absent and null: unlimited. */
export interface StoredRateLimits {
  readonly requests_per_minute: number | null;
  readonly tokens_per_minute: number | null;
}

/**
 * An API key. Only the hash of its secret is stored: that is its id in the API, and stays so when the key is rotated
 * (docs/operate/keys.md#rotation).
 */
@Entity('api_keys')
@Check('api_keys_hash_check', `hash ~ '^[0-9a-f]{64}$'`)
@Check('api_keys_kind_check', `kind in ('inference', 'management')`)
@Check('api_keys_bound_check', `kind = 'management' or not is_workspace_bound`)
@Check('api_keys_limit_reset_check', isOneOf('limit_reset', RESET_INTERVALS))
@ForeignKey(() => WorkspaceEntity, ['accountId', 'workspaceId'], ['accountId', 'id'], { name: 'api_keys_workspace' })
@Index('api_keys_newest', ['accountId', 'createdAt', 'hash'])
export class ApiKeyEntity {
  /** Lowercase SHA-256 hex of its first secret: usage, guardrails and credentials refer to it. */
  @PrimaryColumn({ type: 'char', length: 64 })
  @Expose()
  hash!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  @ForeignKey(() => AccountEntity, { name: 'api_keys_account_id_fkey' })
  accountId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  @Expose({ name: 'workspace_id' })
  workspaceId!: string;

  @Column({ type: 'text' })
  @Expose()
  kind!: KeyKind;

  /** Whether a management key reaches its workspace alone; else all of the account. False of inference keys. */
  @Column({ name: 'is_workspace_bound', type: 'boolean', default: false })
  @Expose({ name: 'is_workspace_bound' })
  isWorkspaceBound!: boolean;

  @Column({ type: 'text' })
  @Expose()
  name!: string;

  /** The part of its latest secret that may be shown: a few of its characters. */
  @Column({ type: 'text' })
  @Expose()
  label!: string;

  @Column({ type: 'boolean', default: false })
  @Expose()
  disabled!: boolean;

  /** Maximum spending in one window; `null` is unlimited. */
  @Column({ name: 'limit_usd', type: 'numeric', precision: 38, scale: 12, nullable: true, transformer: usdColumn })
  @ExposeUsd('limit')
  limitUsd!: PicoUsd | null;

  /** Added to the limit until `raisedUntil`; `null`: never raised. */
  @Column({ name: 'raised_usd', type: 'numeric', precision: 38, scale: 12, nullable: true, transformer: usdColumn })
  raisedUsd!: PicoUsd | null;

  @Column({ name: 'raised_until', type: 'timestamptz', precision: 3, nullable: true })
  raisedUntil!: Date | null;

  /** `null`: the limit is for all time. */
  @Column({ name: 'limit_reset', type: 'text', nullable: true })
  @Expose({ name: 'limit_reset' })
  limitReset!: LimitReset | null;

  @Column({ name: 'include_byok_in_limit', type: 'boolean', default: false })
  @Expose({ name: 'include_byok_in_limit' })
  includeByokInLimit!: boolean;

  /** The addresses that its requests may reach, in addition to the account's rule; `null`: all. */
  @Column({ type: 'jsonb', nullable: true })
  egress!: EgressRules | null;

  @Column({ name: 'rate_limits', type: 'jsonb', nullable: true })
  rateLimits!: StoredRateLimits | null;

  /** Ids of models, with `*` as a wildcard; `null`: all of them. */
  @Column({ name: 'allowed_models', type: 'jsonb', nullable: true })
  allowedModels!: readonly string[] | null;

  /** Tags of its requests that name no others; `null`: none. */
  @Column({ type: 'jsonb', nullable: true })
  tags!: Tags | null;

  @Column({ name: 'creator_user_id', type: 'text', nullable: true })
  @Expose({ name: 'creator_user_id' })
  creatorUserId!: string | null;

  /** A user of the caller's own system, as the caller names it. */
  @Column({ name: 'external_user', type: 'text', nullable: true })
  @Expose({ name: 'external_user' })
  externalUser!: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  @ExposeTime('expires_at')
  expiresAt!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  @ExposeTime('created_at')
  createdAt!: Date;

  /** `null` until changed. */
  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, nullable: true })
  @ExposeTime('updated_at')
  updatedAt!: Date | null;

  /** Deleted rows stay, so that a deleted key is never taken for a new one. */
  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}

/** The restrictions of a key other than money. */
export type KeyRestrictions = Pick<ApiKeyEntity, 'rateLimits' | 'allowedModels' | 'egress'>;
