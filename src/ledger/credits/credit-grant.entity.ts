import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { AccountEntity } from '../../accounts/account.entity.js';

/** Credits that were added, or taken back. Their sum is the limit of the account's counter. */
@Entity('credit_grants')
@Index('credit_grants_newest', ['accountId', 'createdAt'])
@Check('credit_grants_kind_check', `kind in ('grant', 'purchase', 'adjustment', 'refund')`)
@Unique('credit_grants_once', ['accountId', 'idempotencyKey'])
export class CreditGrantEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  @ForeignKey(() => AccountEntity, { name: 'credit_grants_account_id_fkey' })
  accountId!: string;

  @Column({ type: 'text' })
  kind!: 'grant' | 'purchase' | 'adjustment' | 'refund';

  @Column({ type: 'numeric', precision: 38, scale: 12 })
  amount!: string;

  @Column({ type: 'text', nullable: true })
  note!: string | null;

  @Column({ name: 'idempotency_key', type: 'text', nullable: true })
  idempotencyKey!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
