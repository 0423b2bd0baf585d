import { createHmac } from 'node:crypto';
import type { DestinationConfig } from './destination-config.js';
import type { OutboxEvent } from './outbox-event.js';

/** A request to a destination. */
export interface PrintedEvent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const JSON_TYPE = { 'content-type': 'application/json', 'user-agent': 'fairlead/1.0' } as const;

/**
 * The event with its signatures. While the secret before the last rotation is in force, both sign: a receiver accepts
 * either.
 * @param nowMs time of the attempt, in epoch milliseconds
 */
export function printWebhook(event: OutboxEvent, config: DestinationConfig, nowMs: number): PrintedEvent {
  const { id, type, occurredAt, data } = event;
  const body = JSON.stringify({ id, type, occurred_at: occurredAt.toISOString(), data });
  const { secret, former } = config;
  const timestamp = String(Math.floor(nowMs / 1_000));
  const secrets = [secret, former && nowMs < former.until ? former.secret : undefined];
  const signatures = secrets.flatMap((key) => (key === undefined ? [] : `v1=${sign(key, timestamp, body)}`));
  return {
    headers: {
      ...config.headers,
      ...JSON_TYPE,
      'x-fairlead-timestamp': timestamp,
      'x-fairlead-signature': signatures.join(','),
    },
    body,
  };
}

const sign = (secret: string, timestamp: string, body: string): string =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
