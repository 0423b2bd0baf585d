import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/**
 * One management change. Its hash covers it and the hash before it. Rows are only added, and removed from the old end
 * by retention.
 */
@Entity('audit_entries')
@Check('audit_entries_sealed', `(seal is null) = (seal_key is null)`)
export class AuditEntryEntity {
  // References the account by name: the accounts module imports this one.
  @PrimaryColumn({ name: 'account_id', type: 'uuid' })
  @ForeignKey('AccountEntity', { name: 'audit_entries_account_id_fkey' })
  accountId!: string;

  @PrimaryColumn({ type: 'bigint' })
  seq!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  at!: Date;

  @Column({ type: 'text' })
  actor!: string;

  @Column({ name: 'actor_user', type: 'text', nullable: true })
  actorUser!: string | null;

  @Column({ type: 'text' })
  action!: string;

  @Column({ type: 'text' })
  target!: string;

  @Column({ name: 'workspace_id', type: 'uuid', nullable: true })
  workspaceId!: string | null;

  /** JSON exactly as it was hashed. */
  @Column({ type: 'text', nullable: true })
  before!: string | null;

  @Column({ type: 'text', nullable: true })
  after!: string | null;

  @Column({ name: 'previous_hash', type: 'char', length: 64 })
  previousHash!: string;

  @Column({ type: 'char', length: 64 })
  hash!: string;

  /** Null where it is from before there were seals. */
  @Column({ type: 'char', length: 64, nullable: true })
  seal!: string | null;

  @Column({ name: 'seal_key', type: 'uuid', nullable: true })
  @ForeignKey('DataKeyEntity', { name: 'audit_entries_seal_key_fkey' })
  sealKey!: string | null;
}
