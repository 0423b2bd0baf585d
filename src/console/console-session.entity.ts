import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.js';
import type { Person } from '../core/caller.js';
import { ApiKeyEntity } from '../keys/api-key.entity.js';

/** The OIDC user, and the group of the settings that allowed the sign-in. */
export interface SignedInPerson extends Person {
  readonly group: string;
}

/** A session of the console. Who reads its row has no credential: the id is the hash of the cookie's token. */
@Entity('console_sessions')
@Check('console_sessions_id_check', `id ~ '^[0-9a-f]{64}$'`)
@Check(
  'console_sessions_owner_check',
  `(key_hash is null) = (secret_hash is null) and (key_hash is null) <> (person_id is null)
   and (person_id is null) = (person is null) and (person_id is null) = (sign_in is null)`,
)
@Index('console_sessions_newest', ['accountId', 'createdAt', 'id'])
@Index('console_sessions_sign_in', ['signIn'], { unique: true })
export class ConsoleSessionEntity {
  /** Lowercase SHA-256 hex. */
  @PrimaryColumn({ type: 'char', length: 64 })
  id!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  @ForeignKey(() => AccountEntity, { name: 'console_sessions_account_id_fkey' })
  accountId!: string;

  /** Id of the key that signed in; null: a person did, by an issuer. */
  @Column({ name: 'key_hash', type: 'char', length: 64, nullable: true })
  @ForeignKey(() => ApiKeyEntity, { name: 'console_sessions_key_hash_fkey' })
  keyHash!: string | null;

  /** Hash of the secret that signed in. */
  @Column({ name: 'secret_hash', type: 'char', length: 64, nullable: true })
  secretHash!: string | null;

  /** Hash of issuer and subject. */
  @Column({ name: 'person_id', type: 'char', length: 64, nullable: true })
  personId!: string | null;

  @Column({ type: 'jsonb', nullable: true })
  person!: SignedInPerson | null;

  /** Hash of the state of the sign-in: the issuer's answer to it opens one session. */
  @Column({ name: 'sign_in', type: 'char', length: 64, nullable: true })
  signIn!: string | null;

  /** The browser and its system, as it states them. */
  @Column({ type: 'text' })
  label!: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Time of the last use, at most a minute old. */
  @Column({ name: 'last_seen_at', type: 'timestamptz', precision: 3 })
  lastSeenAt!: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ name: 'revoked_at', type: 'timestamptz', precision: 3, nullable: true })
  revokedAt!: Date | null;
}

/** A link that signs in once. Its row is removed by its use. */
@Entity('console_links')
@Check('console_links_id_check', `id ~ '^[0-9a-f]{64}$'`)
export class ConsoleLinkEntity {
  /** Lowercase SHA-256 hex of its token. */
  @PrimaryColumn({ type: 'char', length: 64 })
  id!: string;

  /** Id of the key that it signs in. */
  @Column({ name: 'key_hash', type: 'char', length: 64 })
  @ForeignKey(() => ApiKeyEntity, { name: 'console_links_key_hash_fkey' })
  keyHash!: string;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
