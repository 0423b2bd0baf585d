import { DELIVERY_STATUSES, type DeliveryStatus } from '../destinations/outbox.entity.js';
import {
  described,
  flag,
  freeForm,
  integer,
  moment,
  nullable,
  object,
  oneOf,
  rows,
  text,
  titled,
  type Static,
} from '../shared/http/schema.js';
import type { JsonObject } from '../core/json/json.js';
import type { Alarm } from './alarm.entity.js';

/** Whether an alarm has something to watch. */
const ALARM_STATUSES = ['watching', 'missing'] as const;

/** An alarm as management sees it. */
export const alarmView = titled(
  'alarm',
  object({
    id: text(),
    name: text(),
    enabled: flag(),
    on: described('What it watches.', freeForm()),
    percents: described('Null for kinds without a limit.', nullable(rows(integer()))),
    forecast: flag(),
    destination_ids: rows(text()),
    status: described('Whether what it watches exists.', oneOf(ALARM_STATUSES)),
    status_reason: described('Why it can report nothing; null while it watches.', nullable(text())),
    judged_at: described('When it was last judged; null before that.', nullable(moment())),
    created_at: moment(),
    updated_at: moment(),
  }),
);
export type AlarmView = Static<typeof alarmView>;

/** @param missing why it can report nothing */
export const viewAlarm = (alarm: Alarm, missing?: string): AlarmView => ({
  id: alarm.id,
  name: alarm.name,
  enabled: alarm.enabled,
  on: alarm.rule,
  percents: alarm.percents.length === 0 ? null : alarm.percents,
  forecast: alarm.forecast,
  destination_ids: alarm.destinationIds,
  status: missing === undefined ? 'watching' : 'missing',
  status_reason: missing ?? null,
  judged_at: alarm.judgedAt && alarm.judgedAt.toISOString(),
  created_at: alarm.createdAt.toISOString(),
  updated_at: alarm.updatedAt.toISOString(),
});

/** An event of an alarm, and the state of its deliveries. */
export const alarmEventView = titled(
  'alarm-event',
  object({
    id: described('The `id` that its receivers get.', text()),
    alarm_id: text(),
    type: text(),
    occurred_at: moment(),
    data: freeForm(),
    deliveries: rows(
      object({
        destination_id: text(),
        status: oneOf(DELIVERY_STATUSES),
        attempts: integer(),
        last_status: described('HTTP status of the last answer; null where none came.', nullable(integer())),
        last_error: nullable(text()),
        next_attempt_at: described('While it waits.', nullable(moment())),
        finished_at: nullable(moment()),
      }),
    ),
  }),
);
export type AlarmEventView = Static<typeof alarmEventView>;

/** A delivery as the statement of the history aggregates it; times are ISO 8601. */
export interface ReadDelivery {
  readonly destination_id: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly due_at: string;
  readonly finished_at: string | null;
}

export interface ReadAlarmEvent {
  readonly id: string;
  readonly subject: string;
  readonly type: string;
  readonly occurred_at: Date;
  readonly data: JsonObject;
  readonly deliveries: readonly ReadDelivery[];
}

export const viewAlarmEvent = (event: ReadAlarmEvent): AlarmEventView => ({
  id: event.id,
  alarm_id: event.subject,
  type: event.type,
  occurred_at: event.occurred_at.toISOString(),
  data: event.data,
  deliveries: event.deliveries.map(({ due_at, finished_at, ...delivery }) => ({
    ...delivery,
    next_attempt_at: delivery.status === 'waiting' ? asMoment(due_at) : null,
    finished_at: asMoment(finished_at),
  })),
});

const asMoment = (time: string | null): string | null => (time === null ? null : new Date(time).toISOString());
