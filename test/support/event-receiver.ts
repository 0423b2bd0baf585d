import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonBody } from './recorded-request.js';

/** An event as a receiver got it. */
export interface ReceivedEvent {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: JsonBody;
}

export type ReceiverReply = (response: ServerResponse) => void;

/** A receiver of events on the loopback address. */
export interface EventReceiver {
  readonly origin: string;
  readonly received: ReceivedEvent[];
  /** What later events are answered with; 204 before. */
  answer(reception: ReceiverReply): void;
  /** Resolves when that many have arrived. */
  has(count: number): Promise<void>;
  close(): Promise<void>;
}

const POLL_MS = 10;

/** Answers with a status. */
export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}): ReceiverReply =>
  (response) =>
    void response.writeHead(status, headers).end('an answer');

export async function startEventReceiver(): Promise<EventReceiver> {
  const received: ReceivedEvent[] = [];
  let reception = answering(204);
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    void (async () => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      const { method = '', url = '', headers } = request;
      received.push({ method, path: url, headers, text, body: JSON.parse(text) });
      reception(response);
    })().catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (next) => {
      reception = next;
    },
    has: async (count) => {
      while (received.length < count) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The signature that a receiver computes of an event, as docs/operate/alarms.md shows. */
export const signatureOf = (secret: string, { headers, text }: ReceivedEvent): string =>
  `v1=${createHmac('sha256', secret)
    .update(`${String(headers['x-fairlead-timestamp'])}.${text}`)
    .digest('hex')}`;
