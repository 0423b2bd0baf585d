import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Interval } from '../core/time.js';

/**
 * A charge of a generation, or a correction of one. Partitioned by the month of `held_at`. Written by a function of the
 * database.
 */
@Entity('ledger_entries')
@Index('ledger_entries_newest', ['accountId', 'heldAt'])
@Index('ledger_entries_corrections', ['accountId', 'heldAt'], { where: `kind = 'correction'` })
@Check('ledger_entries_kind_check', `kind in ('charge', 'correction')`)
export class LedgerEntryEntity {
  @PrimaryColumn({ name: 'generation_id', type: 'text' })
  generationId!: string;

  @PrimaryColumn({ name: 'held_at', type: 'timestamptz', precision: 3 })
  heldAt!: Date;

  @PrimaryColumn({ type: 'text' })
  kind!: 'charge' | 'correction';

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  workspaceId!: string;

  @Column({ name: 'key_hash', type: 'text' })
  keyHash!: string;

  /** The budgets that it counts in: `[scope, id, interval]`. */
  @Column({ type: 'jsonb', nullable: true })
  budgets!: readonly (readonly [scope: string, id: string, interval: Interval])[] | null;

  @Column({ type: 'numeric', precision: 38, scale: 12 })
  amount!: string;

  @Column({ name: 'byok_amount', type: 'numeric', precision: 38, scale: 12 })
  byokAmount!: string;

  @Column({ name: 'entered_at', type: 'timestamptz', precision: 3 })
  enteredAt!: Date;
}
