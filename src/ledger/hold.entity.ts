import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Interval } from '../core/time.js';

/**
 * A hold for one generation, from when it is taken until it is posted to the counters. Changed by functions of the
 * database.
 */
@Entity('holds')
export class HoldEntity {
  @PrimaryColumn({ name: 'generation_id', type: 'text' })
  generationId!: string;

  @Column({ name: 'held_at', type: 'timestamptz', precision: 3 })
  heldAt!: Date;

  /** The replica that finishes it; null: it was settled without having been taken. */
  @Column({ type: 'uuid', nullable: true })
  replica!: string | null;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  workspaceId!: string;

  @Column({ name: 'key_hash', type: 'text' })
  keyHash!: string;

  /** The interval of the key's window that it was taken from. */
  @Column({ name: 'key_interval', type: 'text' })
  keyInterval!: Interval;

  /** The budgets that it was taken from: `[scope, id, interval]`. */
  @Column({ type: 'jsonb', nullable: true })
  budgets!: readonly (readonly [scope: string, id: string, interval: Interval])[] | null;

  @Column({ type: 'numeric', precision: 38, scale: 12 })
  bound!: string;

  @Column({ name: 'byok_bound', type: 'numeric', precision: 38, scale: 12 })
  byokBound!: string;

  @Column({ type: 'text', nullable: true })
  model!: string | null;

  /** The latest end of its generation, by the time-outs of its replica; null: it was settled without a hold. */
  @Column({ name: 'deadline_at', type: 'timestamptz', precision: 3, nullable: true })
  deadlineAt!: Date | null;

  /** The state of its generation at the last heartbeat of its replica. */
  @Column({ type: 'jsonb', nullable: true })
  observed!: object | null;

  /** Null until it is settled. */
  @Column({ type: 'numeric', precision: 38, scale: 12, nullable: true })
  cost!: string | null;

  @Column({ name: 'byok_cost', type: 'numeric', precision: 38, scale: 12, nullable: true })
  byokCost!: string | null;
}
