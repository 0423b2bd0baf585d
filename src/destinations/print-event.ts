import type { DestinationConfig } from './destination-config.js';
import type { DestinationType } from './destination.entity.js';
import type { OutboxEvent } from './outbox-event.js';
import { printOtlp, tracesAddress } from './print-otlp.js';
import { printSlack } from './print-slack.js';
import { printWebhook, type PrintedEvent } from './print-webhook.js';

/** The events that a type of destination accepts, and their form. */
interface TypeFacts {
  /** Whether alarms may be sent to it. */
  readonly takesAlarms: boolean;
  /** Whether generations are: never, always, or where its owner sets so. */
  readonly generations: 'never' | 'always' | 'optional';
  /** Whether its events are signed. */
  readonly isSigned: boolean;
  address(config: DestinationConfig): string;
  /** @param nowMs time of the attempt, in epoch milliseconds */
  print(event: OutboxEvent, config: DestinationConfig, nowMs: number): PrintedEvent;
}

/** A type without a row does not compile. */
export const TYPE_FACTS: Readonly<Record<DestinationType, TypeFacts>> = {
  webhook: {
    takesAlarms: true,
    generations: 'optional',
    isSigned: true,
    address: ({ url }) => url,
    print: printWebhook,
  },
  slack: {
    takesAlarms: true,
    generations: 'never',
    isSigned: false,
    address: ({ url }) => url,
    print: printSlack,
  },
  'otel-collector': {
    takesAlarms: false,
    generations: 'always',
    isSigned: false,
    address: ({ url }) => tracesAddress(url),
    print: printOtlp,
  },
};
