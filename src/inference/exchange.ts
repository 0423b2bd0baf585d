import type { ModelEvent } from '../core/conversation/event.js';
import type { GenerationId } from '../core/ids.js';
import type { Bill } from '../core/money/bill.js';
import type { JsonObject } from '../core/json.js';
import type { GenerationFacts } from '../shared/http/request-log.js';

/** A reply that began: from here on it belongs to one provider. */
export interface Answer {
  /** Id of the model that answers, as the catalog has it. */
  readonly model: string;
  /** Display name. */
  readonly provider: string;
  readonly isByok: boolean;
  /** The body that its provider was sent, which never holds its credential. Absent: nobody wants to see it. */
  readonly upstreamBody?: string;
  /** What it is charged. Undefined before its last event was handed out. */
  readonly bill: () => Bill | undefined;
  /** How it was routed, to be asked at its end (WIRE 1.16). Absent: nobody wants to know. */
  readonly routerMetadata?: () => JsonObject | undefined;
  /**
   * All events of the reply from its start, one array for each upstream chunk; to be iterated once. Throws a `GatewayError` when
   * the provider fails in mid-reply.
   */
  readonly events: AsyncIterable<readonly ModelEvent[]>;
}

/** One accepted request. */
export interface Exchange {
  /** Known from acceptance on: the reply's `id` and `X-Generation-Id`. */
  readonly id: GenerationId;
  /** For the log line of the request. */
  readonly facts: GenerationFacts;
  /** Resolves at the first telling event; rejects with a `GatewayError` when nobody answered, or `CallerGone`. */
  readonly answer: Promise<Answer>;
  /** Told by whoever prints the reply why it could not be told to its end: then nobody has answered. */
  spoiled(error: unknown): void;
  /** How it was routed, as far as it got (WIRE 1.16). Absent: nobody asked. Undefined before there is a plan. */
  readonly routerMetadata?: () => JsonObject | undefined;
}
