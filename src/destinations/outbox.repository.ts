import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { JsonObject } from '../core/json/json.js';
import { Clock } from '../core/time.js';
import { Metrics } from '../shared/metrics.js';
import type { DestinationEntity } from './destination.entity.js';
import type { OutboxEvent } from './outbox-event.js';
import type { DeliveryStatus } from './outbox.entity.js';

/** Deliveries that wait for one destination. Chosen: a day of alarms, or 50,000 generations. */
export const WAITING_MAX = 1_000;
/** Deliveries of one destination that one process sends at a time. */
const SENT_AT_ONCE = 4;
/** Deliveries that one statement takes. */
const TAKEN_MAX = 64;
/** How long a process may take to send, in milliseconds: several times the limit of an attempt. */
const LEASE_MS = 30_000;
/** Rows that one statement of the clean-up removes. */
const REMOVED_MAX = 1_000;

/** The database's time, moved as far as the clock of this process is: the parameter is `Clock.aheadMs`. */
const now = (parameter: string): string => `(now() + ${parameter} * interval '1 millisecond')`;

/** An event that is to be sent. */
export interface NewEvent extends OutboxEvent {
  readonly accountId: string;
  /** Id of its alarm. */
  readonly subject?: string;
}

/** A delivery that this process is to send. */
export interface DueDelivery {
  readonly event: OutboxEvent;
  readonly destinationId: string;
  readonly accountId: string;
  /** This one included. */
  readonly attempts: number;
  /** Whether the event stays as the history of an alarm. */
  readonly isKept: boolean;
}

interface DueRow {
  readonly event_id: string;
  readonly destination_id: string;
  readonly account_id: string;
  readonly attempts: number;
  readonly subject: string | null;
  readonly type: string;
  readonly data: JsonObject;
  readonly occurred_at: Date;
}

/** How an attempt ended. */
export interface AttemptResult {
  /** HTTP status of the answer; `null` where none came. */
  readonly status: number | null;
  /** Absent: the receiver took the event. */
  readonly error?: string;
}

/** The statements over `outbox_events` and `outbox_deliveries`. Times are those of the database's clock. */
@Injectable()
export class OutboxRepository {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Adds an event and its deliveries, in the transaction that decides it. Where too many wait for a destination, its
   * delivery is given up at once.
   */
  async add(manager: EntityManager, event: NewEvent, destinationIds: readonly string[]): Promise<void> {
    const { id, accountId, type, subject = null, data, occurredAt } = event;
    await manager.query(
      `INSERT INTO outbox_events (id, account_id, type, subject, data, occurred_at) VALUES ($1, $2, $3, $4, $5, $6)`,
      [id, accountId, type, subject, JSON.stringify(data), occurredAt],
    );
    const made = await manager.query<{ status: DeliveryStatus }[]>(
      `INSERT INTO outbox_deliveries (event_id, destination_id, status, due_at, last_error, finished_at)
       SELECT $1, d.id, CASE WHEN full_up.is_full THEN 'given_up' ELSE 'waiting' END, ${now('$4')},
         CASE WHEN full_up.is_full THEN 'More than ${WAITING_MAX} events wait for this destination.' END,
         CASE WHEN full_up.is_full THEN ${now('$4')} END
       FROM destinations d CROSS JOIN LATERAL (
         SELECT count(*) >= ${WAITING_MAX} AS is_full FROM (
           SELECT FROM outbox_deliveries o WHERE o.destination_id = d.id AND o.status = 'waiting' LIMIT ${WAITING_MAX}
         ) AS waiting
       ) AS full_up
       WHERE d.account_id = $2 AND d.id = ANY($3::uuid[]) RETURNING status`,
      [id, accountId, destinationIds, this.clock.aheadMs],
    );
    this.metrics.outboxEvent(type, 'given_up', made.filter(({ status }) => status === 'given_up').length);
  }

  /**
   * Takes deliveries that are due: no other process takes them until their lease ends.
   * @param busy destinations that this process is sending to
   */
  async take(busy: readonly string[]): Promise<readonly DueDelivery[]> {
    const [rows] = await this.database.query<[DueRow[], number]>(
      `WITH due AS (
         SELECT o.event_id, o.destination_id FROM destinations d CROSS JOIN LATERAL (
           SELECT w.event_id, w.destination_id FROM outbox_deliveries w
           WHERE w.destination_id = d.id AND w.status = 'waiting' AND w.due_at <= ${now('$2')}
           ORDER BY w.due_at LIMIT ${SENT_AT_ONCE} FOR UPDATE SKIP LOCKED
         ) AS o
         WHERE d.enabled AND d.id <> ALL($1::uuid[]) LIMIT ${TAKEN_MAX}
       )
       UPDATE outbox_deliveries o SET attempts = o.attempts + 1, due_at = ${now('$2')} + ${LEASE_MS} * interval '1 millisecond'
       FROM due, outbox_events e
       WHERE o.event_id = due.event_id AND o.destination_id = due.destination_id AND e.id = o.event_id
       RETURNING o.event_id, o.destination_id, o.attempts, e.account_id, e.subject, e.type, e.data, e.occurred_at`,
      [busy, this.clock.aheadMs],
    );
    return rows.map((row) => ({
      event: { id: row.event_id, type: row.type, data: row.data, occurredAt: row.occurred_at },
      destinationId: row.destination_id,
      accountId: row.account_id,
      attempts: row.attempts,
      isKept: row.subject !== null,
    }));
  }

  /**
   * Notes a delivery that its receiver took, or that is given up. Nothing where another process has taken it meanwhile.
   * An event of no alarm is removed with its last delivery.
   */
  async finish({ event, destinationId, attempts, isKept }: DueDelivery, result: AttemptResult): Promise<void> {
    await this.database.query(
      `UPDATE outbox_deliveries SET status = $4, last_status = $5, last_error = $6, finished_at = ${now('$7')}
       WHERE event_id = $1 AND destination_id = $2 AND attempts = $3 AND status = 'waiting'`,
      [
        event.id,
        destinationId,
        attempts,
        result.error === undefined ? 'sent' : 'given_up',
        result.status,
        result.error ?? null,
        this.clock.aheadMs,
      ],
    );
    if (isKept) return;
    await this.database.query(
      `DELETE FROM outbox_events WHERE id = $1
         AND NOT EXISTS (SELECT FROM outbox_deliveries WHERE event_id = $1 AND status = 'waiting')`,
      [event.id],
    );
  }

  /** Whether no more may wait for a destination. */
  async isFull(manager: EntityManager, destinationId: string): Promise<boolean> {
    const [counted] = await manager.query<{ waiting: number }[]>(
      `SELECT count(*)::int AS waiting FROM (
         SELECT FROM outbox_deliveries WHERE destination_id = $1 AND status = 'waiting' LIMIT ${WAITING_MAX}
       ) AS waiting`,
      [destinationId],
    );
    return counted!.waiting >= WAITING_MAX;
  }

  /** Notes a failed attempt. @param pauseMs until the next */
  async postpone(
    { event, destinationId, attempts }: DueDelivery,
    result: AttemptResult,
    pauseMs: number,
  ): Promise<void> {
    await this.database.query(
      `UPDATE outbox_deliveries SET last_status = $4, last_error = $5, due_at = ${now('$6')} + $7 * interval '1 millisecond'
       WHERE event_id = $1 AND destination_id = $2 AND attempts = $3 AND status = 'waiting'`,
      [event.id, destinationId, attempts, result.status, result.error ?? null, this.clock.aheadMs, pauseMs],
    );
  }

  /** What waits for destinations that are enabled, by type. */
  listWaiting(): Promise<WaitingEvents[]> {
    return this.database.query(
      `SELECT e.type, count(*)::int AS count, extract(epoch FROM max(${now('$1')} - e.occurred_at))::float8 AS oldest_s
       FROM destinations d JOIN outbox_deliveries o ON o.destination_id = d.id AND o.status = 'waiting'
       JOIN outbox_events e ON e.id = o.event_id
       WHERE d.enabled GROUP BY e.type`,
      [this.clock.aheadMs],
    );
  }

  /** Notes on the destination that an event was taken; writes nothing where it worked before. */
  async noteSuccess(destinationId: string): Promise<void> {
    await this.database.query(
      `UPDATE destinations SET status = 'ok', status_reason = NULL, status_at = ${now('$2')}, failures = 0, failing_since = NULL
       WHERE id = $1 AND status <> 'ok' AND status <> 'switched_off'`,
      [destinationId, this.clock.aheadMs],
    );
  }

  /** Notes on the destination that an attempt failed. @returns it as it is now; undefined where it is gone or off */
  async noteFailure(destinationId: string, reason: string): Promise<FailingDestination | undefined> {
    const [[row]] = await this.database.query<[FailingDestination[], number]>(
      `UPDATE destinations SET status = 'failing', status_reason = $2, failures = failures + 1,
         status_at = CASE WHEN status = 'failing' THEN status_at ELSE ${now('$3')} END, failing_since = coalesce(failing_since, ${now('$3')})
       WHERE id = $1 AND enabled
       RETURNING id, account_id AS "accountId", failures,
         (extract(epoch FROM ${now('$3')} - failing_since) * 1000)::float8 AS "failingMs"`,
      [destinationId, reason, this.clock.aheadMs],
    );
    return row;
  }

  /** Notes on the destination that a test failed: unlike events, tests never switch it off. */
  async noteFailedTest(destinationId: string, reason: string): Promise<void> {
    await this.database.query(
      `UPDATE destinations SET status = 'failing', status_reason = $2,
         status_at = CASE WHEN status = 'failing' THEN status_at ELSE ${now('$3')} END
       WHERE id = $1 AND status <> 'switched_off'`,
      [destinationId, reason, this.clock.aheadMs],
    );
  }

  /** Gives up deliveries of events older than this, such as those of a destination that is off. @returns how many */
  async giveUpOlderThan(ageMs: number): Promise<number> {
    const [rows] = await this.database.query<[{ type: string }[], number]>(
      `UPDATE outbox_deliveries o SET status = 'given_up', finished_at = ${now('$2')},
         last_error = coalesce(o.last_error, 'The destination was off.')
       FROM outbox_events g WHERE g.id = o.event_id AND (o.event_id, o.destination_id) IN (
         SELECT w.event_id, w.destination_id FROM outbox_deliveries w JOIN outbox_events e ON e.id = w.event_id
         WHERE w.status = 'waiting' AND w.due_at <= ${now('$2')} AND e.occurred_at < ${now('$2')} - $1 * interval '1 millisecond'
         LIMIT ${REMOVED_MAX})
       RETURNING g.type`,
      [ageMs, this.clock.aheadMs],
    );
    for (const { type } of rows) this.metrics.outboxEvent(type, 'given_up');
    return rows.length;
  }

  /**
   * Removes events older than this. @param finishedMs those of no alarm, whose deliveries all ended, are removed at
   * this age already. @returns how many
   */
  async removeOlderThan(ageMs: number, finishedMs: number): Promise<number> {
    const [, count] = await this.database.query<[unknown, number]>(
      `DELETE FROM outbox_events WHERE id IN (
         SELECT e.id FROM outbox_events e
         WHERE e.occurred_at < ${now('$2')} - $1 * interval '1 millisecond' OR (
           e.subject IS NULL AND e.occurred_at < ${now('$2')} - $3 * interval '1 millisecond'
           AND NOT EXISTS (SELECT FROM outbox_deliveries o WHERE o.event_id = e.id AND o.status = 'waiting'))
         ORDER BY e.occurred_at LIMIT ${REMOVED_MAX})`,
      [ageMs, this.clock.aheadMs, finishedMs],
    );
    return count;
  }
}

/** Events of one type that wait, each for each of its destinations. */
export interface WaitingEvents {
  readonly type: string;
  readonly count: number;
  /** Age of the oldest in seconds. */
  readonly oldest_s: number;
}

/** A destination whose last attempt failed. */
export interface FailingDestination extends Pick<DestinationEntity, 'id' | 'accountId' | 'failures'> {
  /** Since the first failure of the row. */
  readonly failingMs: number;
}
