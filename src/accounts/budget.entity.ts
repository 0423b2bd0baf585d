import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { INTERVALS, type Interval } from '../core/time.js';
import { isOneOf } from '../shared/database/is-one-of.js';
import { AccountEntity } from './account.entity.js';

/** A cap of a workspace, a guardrail, a user, a member or a tag in one interval. */
@Entity('budgets')
@Index('budgets_of_subjects', { synchronize: false })
@Index('budgets_newest', { synchronize: false })
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

  /** The id of its user, member or tag, whose hash is `scopeId`; null for workspaces and guardrails. */
  @Column({ type: 'text', nullable: true })
  subject!: string | null;

  @Column({ name: 'raised_usd', type: 'numeric', precision: 38, scale: 12, nullable: true })
  raisedUsd!: string | null;

  /** The raise is over from then on. */
  @Column({ name: 'raised_until', type: 'timestamptz', precision: 3, nullable: true })
  raisedUntil!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}
