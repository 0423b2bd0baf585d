import { Expose } from 'class-transformer';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceEntity } from '../accounts/workspace.entity.js';
import { isOneOf } from '../shared/database/is-one-of.js';
import { ExposeTime } from '../shared/http/column-exposure.js';

export const KNOWN_STATUSES = ['untested', 'ok', 'failing'] as const;
export type KnownStatus = (typeof KNOWN_STATUSES)[number];

/** The state of a credential before its first call. */
export const UNTESTED = {
  status: 'untested',
  statusReason: null,
  statusAt: null,
  lastUsedAt: null,
  lastRefusal: null,
  lastRefusedAt: null,
} as const;

/** A caller's own credential of a provider. Its text is stored only sealed; deleted rows stay, without it. */
@Entity('provider_credentials')
@Check(
  'provider_credentials_wiped',
  `(deleted_at is null) = (sealed is not null) and (sealed is null) = (wrapped_key is null) and (sealed is null) = (key_id is null)`,
)
@Check('provider_credentials_status_check', isOneOf('status', KNOWN_STATUSES))
@ForeignKey(() => WorkspaceEntity, ['accountId', 'workspaceId'], ['accountId', 'id'], {
  name: 'provider_credentials_workspace',
})
@Index('provider_credentials_newest', ['accountId', 'createdAt', 'id'])
@Index('provider_credentials_by_key', ['keyId', 'id'], { where: 'deleted_at is null' })
export class ProviderCredentialEntity {
  @PrimaryColumn({ type: 'uuid' })
  @Expose()
  id!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  @Expose({ name: 'workspace_id' })
  workspaceId!: string;

  /** Slug. */
  @Column({ type: 'text' })
  @Expose()
  provider!: string;

  @Column({ type: 'text', nullable: true })
  @Expose()
  name!: string | null;

  /** The part of the credential that may be shown. */
  @Column({ type: 'text' })
  @Expose()
  label!: string;

  @Column({ type: 'boolean' })
  @Expose()
  disabled!: boolean;

  @Column({ name: 'is_fallback', type: 'boolean' })
  @Expose({ name: 'is_fallback' })
  isFallback!: boolean;

  @Column({ name: 'is_required', type: 'boolean' })
  @Expose({ name: 'is_required' })
  isRequired!: boolean;

  @Column({ name: 'is_byok_only', type: 'boolean' })
  @Expose({ name: 'is_byok_only' })
  isByokOnly!: boolean;

  /** The owner's statement on the agreement with the provider; `null` where there is none. */
  @Column({ name: 'declared_zdr', type: 'boolean', nullable: true })
  @Expose({ name: 'declared_zdr' })
  declaredZdr!: boolean | null;

  /** Slugs of models; `null` is all. */
  @Column({ name: 'allowed_models', type: 'jsonb', nullable: true })
  @Expose({ name: 'allowed_models' })
  allowedModels!: string[] | null;

  @Column({ name: 'allowed_user_ids', type: 'jsonb', nullable: true })
  @Expose({ name: 'allowed_user_ids' })
  allowedUserIds!: string[] | null;

  @Column({ name: 'allowed_api_key_hashes', type: 'jsonb', nullable: true })
  @Expose({ name: 'allowed_api_key_hashes' })
  allowedApiKeyHashes!: string[] | null;

  @Column({ name: 'sort_order', type: 'integer' })
  @Expose({ name: 'sort_order' })
  sortOrder!: number;

  /** The result of the last call with it, of a test or of a request. */
  @Column({ type: 'text', default: 'untested' })
  status!: KnownStatus;

  /** Set for a failing credential. Never the provider's own message. */
  @Column({ name: 'status_reason', type: 'text', nullable: true })
  statusReason!: string | null;

  /** Since when; `null` before its first call. */
  @Column({ name: 'status_at', type: 'timestamptz', precision: 3, nullable: true })
  statusAt!: Date | null;

  /** The last request with it that showed whether it works, to the minute. */
  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt!: Date | null;

  /** The last refusal by the provider, also if the credential works again. Never the provider's own message. */
  @Column({ name: 'last_refusal', type: 'text', nullable: true })
  lastRefusal!: string | null;

  /** To the minute. */
  @Column({ name: 'last_refused_at', type: 'timestamptz', precision: 3, nullable: true })
  lastRefusedAt!: Date | null;

  /** The three are `null` together, once it is deleted. */
  @Column({ name: 'key_id', type: 'text', nullable: true })
  keyId!: string | null;

  @Column({ name: 'wrapped_key', type: 'bytea', nullable: true })
  wrappedKey!: Buffer | null;

  @Column({ type: 'bytea', nullable: true })
  sealed!: Buffer | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  @ExposeTime('created_at')
  createdAt!: Date;

  /** `null` until changed. */
  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, nullable: true })
  updatedAt!: Date | null;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}

/** The fields that its owner may set. */
export type CredentialTraits = Pick<
  ProviderCredentialEntity,
  | 'name'
  | 'disabled'
  | 'isFallback'
  | 'isRequired'
  | 'isByokOnly'
  | 'declaredZdr'
  | 'allowedModels'
  | 'allowedUserIds'
  | 'allowedApiKeyHashes'
  | 'sortOrder'
>;
