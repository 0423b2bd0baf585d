import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { INTERVALS, type Interval } from '../core/time.js';
import { isOneOf } from '../shared/database/is-one-of.js';
import { AccountEntity } from './account.entity.js';

/** A cap of a workspace or a guardrail in one interval. */
@Entity('budgets')
@Check('budgets_interval_check', isOneOf('interval', INTERVALS))
export class BudgetEntity {
  @PrimaryColumn({ type: 'text' })
  scope!: string;

  @PrimaryColumn({ name: 'scope_id', type: 'text' })
  scopeId!: string;

  @PrimaryColumn({ type: 'text' })
  interval!: Interval;

  @Column({ name: 'account_id', type: 'uuid' })
  @ForeignKey(() => AccountEntity, { name: 'budgets_account_id_fkey' })
  accountId!: string;

  @Column({ name: 'limit_usd', type: 'numeric', precision: 38, scale: 12 })
  limitUsd!: string;

  @Column({ name: 'include_byok', type: 'boolean', default: false })
  includeByok!: boolean;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}
