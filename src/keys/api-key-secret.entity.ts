import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.js';
import { ApiKeyEntity } from './api-key.entity.js';

/**
 * The current and former secrets of a rotated key: the first one, whose hash is the key's id, and those that followed.
 * A key that was never rotated has no rows here.
 */
@Entity('api_key_secrets')
@Check('api_key_secrets_hash_check', `hash ~ '^[0-9a-f]{64}$'`)
@Index('api_key_secrets_key', ['keyHash', 'endsAt'])
@Index('api_key_secrets_latest', ['keyHash'], { unique: true, where: 'ends_at is null' })
export class ApiKeySecretEntity {
  /** Lowercase SHA-256 hex. */
  @PrimaryColumn({ type: 'char', length: 64 })
  hash!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  @ForeignKey(() => AccountEntity, { name: 'api_key_secrets_account_id_fkey' })
  accountId!: string;

  /** Id of the key. */
  @Column({ name: 'key_hash', type: 'char', length: 64 })
  @ForeignKey(() => ApiKeyEntity, { name: 'api_key_secrets_key_hash_fkey' })
  keyHash!: string;

  /** The part that may be shown; null in rows of a release that kept no labels. */
  @Column({ type: 'text', nullable: true })
  label!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** `null`: the latest one. Rows stay, so that an ended secret is never taken for a new key. */
  @Column({ name: 'ends_at', type: 'timestamptz', precision: 3, nullable: true })
  endsAt!: Date | null;
}
