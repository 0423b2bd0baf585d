import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { KeyKind } from '../core/caller.js';
import type { PicoUsd } from '../core/money/credits.js';
import type { Interval } from '../core/time.js';
import { usdColumn } from '../ledger/usd-column.js';

/** How often a key's limit begins anew. */
export type LimitReset = Exclude<Interval, 'lifetime'>;

/** Its values (WIRE 1.20); `null` beside them is "never". */
export const LIMIT_RESETS = ['daily', 'weekly', 'monthly'] as const satisfies readonly LimitReset[];

/** An API key. Of the key itself only its hash is kept; that is its id in the API. */
@Entity('api_keys')
export class ApiKeyEntity {
  /** Lowercase SHA-256 hex. */
  @PrimaryColumn({ type: 'char', length: 64 })
  hash!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  workspaceId!: string;

  @Column({ type: 'text' })
  kind!: KeyKind;

  @Column({ type: 'text' })
  name!: string;

  /** The key as people may see it: a few of its characters. */
  @Column({ type: 'text' })
  label!: string;

  @Column({ type: 'boolean' })
  disabled!: boolean;

  /** Most it may spend in one window; `null` is unlimited. */
  @Column({ name: 'limit_usd', type: 'numeric', precision: 38, scale: 12, nullable: true, transformer: usdColumn })
  limitUsd!: PicoUsd | null;

  /** `null`: the limit is for all time. */
  @Column({ name: 'limit_reset', type: 'text', nullable: true })
  limitReset!: LimitReset | null;

  @Column({ name: 'include_byok_in_limit', type: 'boolean' })
  includeByokInLimit!: boolean;

  @Column({ name: 'creator_user_id', type: 'text', nullable: true })
  creatorUserId!: string | null;

  /** A user of the caller's own system, as the caller names it. */
  @Column({ name: 'external_user', type: 'text', nullable: true })
  externalUser!: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** `null` until changed. */
  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, nullable: true })
  updatedAt!: Date | null;

  /** Deleted rows stay, so that a deleted key is never taken for a new one. */
  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
