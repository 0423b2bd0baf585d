import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** The last entry that retention removed: the chain is verified from there on. */
@Entity('audit_anchors')
export class AuditAnchorEntity {
  @PrimaryColumn({ name: 'account_id', type: 'uuid' })
  @ForeignKey('AccountEntity', { name: 'audit_anchors_account_id_fkey' })
  accountId!: string;

  @Column({ type: 'bigint' })
  seq!: string;

  @Column({ type: 'char', length: 64 })
  hash!: string;
}
