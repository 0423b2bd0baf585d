import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { JsonObject } from '../core/json/json.js';
import { Clock, DAY_MS, HOUR_MS } from '../core/time.js';
import { ExpiringRows, NEWEST_MAX, type ExpiringTable } from '../shared/database/expiring-rows.js';
import { Metrics } from '../shared/telemetry/metrics.js';
import type { DestinationEntity } from './destination.entity.js';
import type { OutboxEvent } from './outbox-event.js';
import type { DeliveryStatus } from './outbox.entity.js';
import { TRIED_MS } from './retry-pauses.js';

/** Deliveries that wait for one destination. Chosen: a day of alarms, or 50,000 generations. */
export const WAITING_MAX = 1_000;
/** Deliveries of one destination that one process sends at a time. */
const SENT_AT_ONCE = 4;
/** Deliveries that one statement takes. */
const TAKEN_MAX = 64;
/** How long a process may take to send, in milliseconds: several times the limit of an attempt. */
const LEASE_MS = 30_000;
/** Deliveries that one statement gives up. */
const GIVEN_UP_MAX = 1_000;
/** How long events of alarms are kept as their history. */
const HISTORY_MS = 30 * DAY_MS;
/** How long other events are kept at most: by then all their deliveries have ended. */
const UNFINISHED_MS = TRIED_MS + HOUR_MS;

/** The database's time, moved as far as the clock of this process is: the parameter is `Clock.aheadMs`. */
const databaseNow = (parameter: string): string => `(now() + ${parameter} * interval '1 millisecond')`;

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

/** Result of an attempt. */
export interface AttemptResult {
  /** HTTP status of the answer; `null` where none came. */
  readonly status: number | null;
  /** Absent: the receiver took the event. */
  readonly error?: string;
}

/** The statements over `outbox_events` and `outbox_deliveries`. Times are those of the database's clock. */
@Injectable()
export class OutboxRepository {
  /** The history of alarms is limited here; what waits is limited for each destination. */
  private readonly table: ExpiringTable = {
    name: 'outbox_events',
    owner: ['account_id'],
    time: 'occurred_at',
    bounds: [
      {
        counted: `r.subject IS NOT NULL AND NOT EXISTS (
          SELECT FROM outbox_deliveries o WHERE o.event_id = r.id AND o.status = 'waiting')`,
        newest: NEWEST_MAX,
      },
    ],
    age: () => this.giveUpOld(),
  };

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    private readonly rows: ExpiringRows,
  ) {
    rows.register(this.table);
  }

  /**
   * Adds an event and its deliveries, in the transaction that decides it. Where too many wait for a destination, its
   * delivery is given up at once.
   */
  async add(manager: EntityManager, event: NewEvent, destinationIds: readonly string[]): Promise<void> {
    const { id, accountId, type, subject = null, data, occurredAt } = event;
    const expiresAt = new Date(occurredAt.getTime() + (subject === null ? UNFINISHED_MS : HISTORY_MS));
    await manager.query(
      `INSERT INTO outbox_events (id, account_id, type, subject, data, occurred_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [id, accountId, type, subject, JSON.stringify(data), occurredAt, expiresAt],
    );
    if (subject !== null) this.rows.noteAdded(this.table, [accountId]);
    const made = await manager.query<{ status: DeliveryStatus }[]>(
      `INSERT INTO outbox_deliveries (event_id, destination_id, status, due_at, last_error, finished_at)
       SELECT $1, d.id, CASE WHEN full_up.is_full THEN 'given_up' ELSE 'waiting' END, ${databaseNow('$4')},
         CASE WHEN full_up.is_full THEN 'More than ${WAITING_MAX} events wait for this destination.' END,
         CASE WHEN full_up.is_full THEN ${databaseNow('$4')} END
       FROM (
         SELECT id FROM destinations WHERE account_id = $2 AND id = ANY($3::uuid[]) FOR KEY SHARE
       ) AS d CROSS JOIN LATERAL (
         SELECT count(*) >= ${WAITING_MAX} AS is_full FROM (
           SELECT FROM outbox_deliveries o WHERE o.destination_id = d.id AND o.status = 'waiting' LIMIT ${WAITING_MAX}
         ) AS waiting
       ) AS full_up
       RETURNING status`,
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
           WHERE w.destination_id = d.id AND w.status = 'waiting' AND w.due_at <= ${databaseNow('$2')}
           ORDER BY w.due_at LIMIT ${SENT_AT_ONCE} FOR UPDATE SKIP LOCKED
         ) AS o
         WHERE d.enabled AND d.id <> ALL($1::uuid[]) LIMIT ${TAKEN_MAX}
       )
       UPDATE outbox_deliveries o SET attempts = o.attempts + 1, due_at = ${databaseNow('$2')} + ${LEASE_MS} * interval '1 millisecond'
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
      `UPDATE outbox_deliveries SET status = $4, last_status = $5, last_error = $6, finished_at = ${databaseNow('$7')}
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
      `UPDATE outbox_deliveries SET last_status = $4, last_error = $5, due_at = ${databaseNow('$6')} + $7 * interval '1 millisecond'
       WHERE event_id = $1 AND destination_id = $2 AND attempts = $3 AND status = 'waiting'`,
      [event.id, destinationId, attempts, result.status, result.error ?? null, this.clock.aheadMs, pauseMs],
    );
  }

  /** The number and the age of events that wait for enabled destinations, by type. */
  listWaiting(): Promise<WaitingEvents[]> {
    return this.database.query(
      `SELECT e.type, count(*)::int AS count, extract(epoch FROM max(${databaseNow('$1')} - e.occurred_at))::float8 AS oldest_s
       FROM destinations d JOIN outbox_deliveries o ON o.destination_id = d.id AND o.status = 'waiting'
       JOIN outbox_events e ON e.id = o.event_id
       WHERE d.enabled GROUP BY e.type`,
      [this.clock.aheadMs],
    );
  }

  /** Notes on the destination that an event was taken; writes nothing where it worked before. */
  async noteSuccess(destinationId: string): Promise<void> {
    await this.database.query(
      `UPDATE destinations SET status = 'ok', status_reason = NULL, status_at = ${databaseNow('$2')}, failures = 0, failing_since = NULL
       WHERE id = $1 AND status <> 'ok' AND status <> 'switched_off'`,
      [destinationId, this.clock.aheadMs],
    );
  }

  /** Notes on the destination that an attempt failed. @returns it as it is now; undefined where it is gone or off */
  async noteFailure(destinationId: string, reason: string): Promise<FailingDestination | undefined> {
    const [[row]] = await this.database.query<[FailingDestination[], number]>(
      `UPDATE destinations SET status = 'failing', status_reason = $2, failures = failures + 1,
         status_at = CASE WHEN status = 'failing' THEN status_at ELSE ${databaseNow('$3')} END, failing_since = coalesce(failing_since, ${databaseNow('$3')})
       WHERE id = $1 AND enabled
       RETURNING id, account_id AS "accountId", failures,
         (extract(epoch FROM ${databaseNow('$3')} - failing_since) * 1000)::float8 AS "failingMs"`,
      [destinationId, reason, this.clock.aheadMs],
    );
    return row;
  }

  /** Notes on the destination that a test failed: unlike events, tests never switch it off. */
  async noteFailedTest(destinationId: string, reason: string): Promise<void> {
    await this.database.query(
      `UPDATE destinations SET status = 'failing', status_reason = $2,
         status_at = CASE WHEN status = 'failing' THEN status_at ELSE ${databaseNow('$3')} END
       WHERE id = $1 AND status <> 'switched_off'`,
      [destinationId, reason, this.clock.aheadMs],
    );
  }

  /** Gives up deliveries that were tried for long enough, such as those of a destination that is off. */
  private async giveUpOld(): Promise<boolean> {
    const [rows] = await this.database.query<[{ type: string }[], number]>(
      `UPDATE outbox_deliveries o SET status = 'given_up', finished_at = ${databaseNow('$2')},
         last_error = coalesce(o.last_error, 'The destination was off.')
       FROM outbox_events g WHERE g.id = o.event_id AND (o.event_id, o.destination_id) IN (
         SELECT w.event_id, w.destination_id FROM outbox_deliveries w JOIN outbox_events e ON e.id = w.event_id
         WHERE w.status = 'waiting' AND w.due_at <= ${databaseNow('$2')} AND e.occurred_at < ${databaseNow('$2')} - $1 * interval '1 millisecond'
         LIMIT ${GIVEN_UP_MAX})
       RETURNING g.type`,
      [TRIED_MS, this.clock.aheadMs],
    );
    for (const { type } of rows) this.metrics.outboxEvent(type, 'given_up');
    return rows.length > 0;
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
