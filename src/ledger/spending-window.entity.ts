import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.js';
import type { SubjectScope } from '../accounts/budget-subjects.js';
import type { PicoUsd } from '../core/money/credits.js';
import { INTERVALS, type Interval } from '../core/time.js';
import { isOneOf } from '../shared/database/is-one-of.js';
import { usdColumn } from './usd-column.js';

/**
 * The kind of object whose spend a counter sums. `free_requests` counts requests instead, each as one whole unit, by
 * account and by key.
 */
export type SpendingScope = 'account' | 'key' | 'workspace' | 'guardrail' | SubjectScope | 'free_requests';

/** One counter of something that can run out, during one UTC window. A reset is a new row. */
@Entity('spending_windows')
@Index('spending_windows_of_subjects', { synchronize: false })
@Check('spending_windows_interval_check', isOneOf('interval', INTERVALS))
export class SpendingWindowEntity {
  @PrimaryColumn({ type: 'text' })
  scope!: SpendingScope;

  /** The key's hash, or the id of the scope's object. */
  @PrimaryColumn({ name: 'scope_id', type: 'text' })
  scopeId!: string;

  @PrimaryColumn({ type: 'text' })
  interval!: Interval;

  @PrimaryColumn({ name: 'window_start', type: 'timestamptz', precision: 3 })
  windowStart!: Date;

  @Column({ name: 'account_id', type: 'uuid' })
  @ForeignKey(() => AccountEntity, { name: 'spending_windows_account_id_fkey' })
  accountId!: string;

  /** For an account, all credits it ever got; `null` is unlimited. */
  @Column({ type: 'numeric', precision: 38, scale: 12, nullable: true, transformer: usdColumn })
  limit!: PicoUsd | null;

  @Column({ type: 'numeric', precision: 38, scale: 12, default: 0, transformer: usdColumn })
  used!: PicoUsd;

  /** Held for calls that are under way. */
  @Column({ type: 'numeric', precision: 38, scale: 12, default: 0, transformer: usdColumn })
  held!: PicoUsd;

  /** Amount at list price through the caller's own provider credentials: no credits. */
  @Column({ name: 'byok_used', type: 'numeric', precision: 38, scale: 12, default: 0, transformer: usdColumn })
  byokUsed!: PicoUsd;

  @Column({ name: 'byok_held', type: 'numeric', precision: 38, scale: 12, default: 0, transformer: usdColumn })
  byokHeld!: PicoUsd;

  /** When the last generation that counts here was held; set in the lifetime counter of a key only. */
  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
}
