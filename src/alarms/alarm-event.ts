import { newUuid } from '../core/ids.js';
import type { NewEvent } from '../destinations/outbox.repository.js';
import type { AlarmKind } from './alarm-fields.js';
import type { AlarmEntity } from './alarm.entity.js';
import type { Finding } from './judge.js';

/** The type of the events of a kind. */
export const eventTypeOf = (kind: AlarmKind): string => `alarm.${kind}`;

/** The event of what an alarm reports. */
export const alarmEvent = (alarm: AlarmEntity, { data }: Finding, at: Date): NewEvent => ({
  id: newUuid(at.getTime()),
  accountId: alarm.accountId,
  subject: alarm.id,
  type: eventTypeOf(alarm.rule.kind),
  occurredAt: at,
  data: { ...data, alarm: { id: alarm.id, name: alarm.name } },
});
