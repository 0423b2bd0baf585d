import type { JsonObject } from '../core/json/json.js';

/** The type of an event with generations. */
export const GENERATIONS_TYPE = 'generations';
/** The type of the event of a test call. */
export const TEST_TYPE = 'destination.test';

/** An event as its receivers get it. The same event has the same id always. */
export interface OutboxEvent {
  readonly id: string;
  readonly type: string;
  readonly occurredAt: Date;
  /** Data of the event: neither content nor secrets. `message` is one sentence for people. */
  readonly data: JsonObject;
}
