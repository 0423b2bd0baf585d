import type { OutboxEvent } from './outbox-event.js';
import { JSON_TYPE, type PrintedEvent } from './print-webhook.js';

/** Characters that Slack reads as markup (https://docs.slack.dev/messaging/formatting-message-text). */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A message for an incoming webhook of Slack. */
export const printSlack = ({ data, type }: OutboxEvent): PrintedEvent => {
  const { message } = data;
  return { headers: JSON_TYPE, body: JSON.stringify({ text: escaped(typeof message === 'string' ? message : type) }) };
};
