import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.js';
import type { JsonObject } from '../core/json/json.js';

/** States of a delivery: it waits for an attempt, its receiver accepted it, or it is no longer tried. */
export const DELIVERY_STATUSES = ['waiting', 'sent', 'given_up'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** An event for destinations. */
@Entity('outbox_events')
@Index('outbox_events_newest', ['accountId', 'occurredAt', 'id'], { where: 'subject is not null' })
@Index('outbox_events_oldest', ['occurredAt'])
@Index('outbox_events_expired', ['expiresAt'])
export class OutboxEventEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  @ForeignKey(() => AccountEntity, { name: 'outbox_events_account_id_fkey' })
  accountId!: string;

  @Column({ type: 'text' })
  type!: string;

  /** The alarm that it is of; `null` for any other event. */
  @Column({ type: 'uuid', nullable: true })
  subject!: string | null;

  @Column({ type: 'jsonb' })
  data!: JsonObject;

  @Column({ name: 'occurred_at', type: 'timestamptz', precision: 3 })
  occurredAt!: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, default: () => `(now() + '30 days')` })
  expiresAt!: Date;
}

/** An event for one destination. */
@Entity('outbox_deliveries')
@Index('outbox_deliveries_due', ['destinationId', 'dueAt'], { where: `status = 'waiting'` })
export class OutboxDeliveryEntity {
  @PrimaryColumn({ name: 'event_id', type: 'uuid' })
  @ForeignKey(() => OutboxEventEntity, { name: 'outbox_deliveries_event_id_fkey', onDelete: 'CASCADE' })
  eventId!: string;

  /** It may be deleted: the history of alarms stays. */
  @PrimaryColumn({ name: 'destination_id', type: 'uuid' })
  destinationId!: string;

  @Column({ type: 'text' })
  status!: DeliveryStatus;

  @Column({ type: 'integer', default: 0 })
  attempts!: number;

  /** Time of the next attempt, while the delivery waits. */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3 })
  dueAt!: Date;

  /** HTTP status of the last answer; `null` where none came. */
  @Column({ name: 'last_status', type: 'integer', nullable: true })
  lastStatus!: number | null;

  @Column({ name: 'last_error', type: 'text', nullable: true })
  lastError!: string | null;

  @Column({ name: 'finished_at', type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
