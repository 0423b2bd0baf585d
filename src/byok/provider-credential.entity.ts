import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A caller's own credential of a provider. Its text is there only sealed; deleted rows stay, without it. */
@Entity('provider_credentials')
export class ProviderCredentialEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  workspaceId!: string;

  /** Slug. */
  @Column({ type: 'text' })
  provider!: string;

  @Column({ type: 'text', nullable: true })
  name!: string | null;

  /** The credential as people may see it. */
  @Column({ type: 'text' })
  label!: string;

  @Column({ type: 'boolean' })
  disabled!: boolean;

  @Column({ name: 'is_fallback', type: 'boolean' })
  isFallback!: boolean;

  @Column({ name: 'is_required', type: 'boolean' })
  isRequired!: boolean;

  @Column({ name: 'is_byok_only', type: 'boolean' })
  isByokOnly!: boolean;

  /** What its owner says of the agreement with the provider; `null` where nothing was said. */
  @Column({ name: 'declared_zdr', type: 'boolean', nullable: true })
  declaredZdr!: boolean | null;

  /** Slugs of models; `null` is all. */
  @Column({ name: 'allowed_models', type: 'jsonb', nullable: true })
  allowedModels!: string[] | null;

  @Column({ name: 'allowed_user_ids', type: 'jsonb', nullable: true })
  allowedUserIds!: string[] | null;

  @Column({ name: 'allowed_api_key_hashes', type: 'jsonb', nullable: true })
  allowedApiKeyHashes!: string[] | null;

  @Column({ name: 'sort_order', type: 'integer' })
  sortOrder!: number;

  /** The three are `null` together, once it is deleted. */
  @Column({ name: 'key_id', type: 'text', nullable: true })
  keyId!: string | null;

  @Column({ name: 'wrapped_key', type: 'bytea', nullable: true })
  wrappedKey!: Buffer | null;

  @Column({ type: 'bytea', nullable: true })
  sealed!: Buffer | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** `null` until changed. */
  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, nullable: true })
  updatedAt!: Date | null;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}

/** What its owner may set. */
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
