import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Total of a dropped month of entries for one lifetime counter. */
@Entity('ledger_closings')
export class LedgerClosingEntity {
  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  month!: Date;

  @PrimaryColumn({ type: 'text' })
  scope!: string;

  @PrimaryColumn({ name: 'scope_id', type: 'text' })
  scopeId!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ type: 'numeric', precision: 38, scale: 12 })
  amount!: string;

  @Column({ name: 'byok_amount', type: 'numeric', precision: 38, scale: 12 })
  byokAmount!: string;

  @Column({ type: 'bigint' })
  entries!: string;
}
