import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** The last entry that retention removed: the chain is verified from there on. */
@Entity('audit_anchors')
@Check('audit_anchors_sealed', `(seal is null) = (seal_key is null)`)
export class AuditAnchorEntity {
  @PrimaryColumn({ name: 'account_id', type: 'uuid' })
  @ForeignKey('AccountEntity', { name: 'audit_anchors_account_id_fkey' })
  accountId!: string;

  @Column({ type: 'bigint' })
  seq!: string;

  @Column({ type: 'char', length: 64 })
  hash!: string;

  /** Whether the removed entry was sealed. */
  @Column({ name: 'was_sealed', type: 'boolean', default: false })
  wasSealed!: boolean;

  /** Null where it is from before there were seals. */
  @Column({ type: 'char', length: 64, nullable: true })
  seal!: string | null;

  @Column({ name: 'seal_key', type: 'uuid', nullable: true })
  @ForeignKey('DataKeyEntity', { name: 'audit_anchors_seal_key_fkey' })
  sealKey!: string | null;
}
