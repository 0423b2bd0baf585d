import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Clock } from '../../src/core/time.js';
import {
  API_KEY,
  catalogOf,
  extendedCatalogOf,
  startGateway,
  type CatalogEntry,
  type TestGateway,
} from '../support/app.js';
import type { TestDatabase } from '../support/database.js';
import { RawClient } from '../support/raw-client.js';
import type { JsonBody } from '../support/recorded-request.js';
import { frame, type Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

/** More endpoints than one request may be tried at. */
const CROWD = 8;
/** Takes any prompt that a body may hold. */
const ROOMY = { context_length: 100_000_000 };
/** Data policy of the provider of `test/forgetful`. */
const FORGETFUL = { collects_data: false, zero_data_retention: true };
/** Time-out of the model `test/impatient`. */
const FIRST_MS = 600;

export interface BenchOptions {
  /** Variables of the gateway. */
  readonly variables?: NodeJS.ProcessEnv;
  /** The behaviour of the providers for abandoned calls. */
  readonly aborts?: object;
  /** Whether the models of the shipped catalog are included. */
  readonly extendsShipped?: boolean;
  readonly clock?: Clock;
}

/**
 * A gateway before three scripted upstreams. Models: `test/native` at the Anthropic one, `test/translated` at the chat
 * one; `test/native-roomy` and `test/translated-roomy` take prompts of any length; `test/native-pair` and
 * `test/translated-pair` fall back to a second Anthropic one; `test/impatient` waits 600 ms for the first committing
 * event of either before it falls back; `test/crowd` has eight endpoints at the first, `test/nowhere` one without a
 * listener; the provider of `test/forgetful` retains no data.
 */
export class MessagesBench {
  private readonly clients: RawClient[] = [];

  private constructor(
    readonly gateway: TestGateway,
    readonly anthropic: Upstream,
    readonly openai: Upstream,
    readonly second: Upstream,
  ) {}

  static async start(database: TestDatabase, options: BenchOptions = {}): Promise<MessagesBench> {
    const { variables = {}, aborts, extendsShipped = false, clock } = options;
    const [anthropic, openai, second, closedPort] = await Promise.all([
      startUpstream('anthropic'),
      startUpstream('openai'),
      startUpstream('anthropic'),
      findClosedPort(),
    ]);
    const native = { url: anthropic.url, dialect: 'anthropic-messages', aborts } as const;
    const translated = { url: openai.url, dialect: 'openai-chat', aborts } as const;
    const fallback = { url: second.url, dialect: 'anthropic-messages', aborts } as const;
    const nowhere = { url: `http://127.0.0.1:${closedPort}`, dialect: 'anthropic-messages' } as const;
    const crowd = Array.from({ length: CROWD }, (_, index) => ({ ...native, url: `${anthropic.url}/${index}` }));
    const entries: CatalogEntry[] = [
      { id: 'test/native', at: [native] },
      { id: 'test/translated', at: [translated] },
      { id: 'test/native-roomy', at: [native], model: ROOMY },
      { id: 'test/translated-roomy', at: [translated], model: ROOMY },
      { id: 'test/native-pair', at: [native, fallback] },
      { id: 'test/translated-pair', at: [translated, fallback] },
      { id: 'test/back-to-translated', at: [fallback, translated] },
      { id: 'test/impatient', at: [native], endpoint: { timeouts: { first: `${FIRST_MS}ms` } } },
      { id: 'test/impatient-pair', at: [native, fallback], endpoint: { timeouts: { first: `${FIRST_MS}ms` } } },
      { id: 'test/crowd', at: crowd },
      { id: 'test/nowhere', at: [nowhere] },
      { id: 'test/nowhere-pair', at: [nowhere, fallback] },
      { id: 'test/forgetful', at: [{ ...native, url: `${anthropic.url}/forgetful`, policy: FORGETFUL }] },
    ];
    const catalog = (extendsShipped ? extendedCatalogOf : catalogOf)(...entries);
    const gateway = await startGateway(database, { catalog, variables, coolsDown: false, ...(clock && { clock }) });
    return new MessagesBench(gateway, anthropic, openai, second);
  }

  /** Begins `POST /messages`, or to another path, on a bare socket, which is closed with the bench. */
  async open(
    body: object | string | Uint8Array,
    headers: readonly (readonly [string, string])[] = [],
    path = '/api/v1/messages',
    connect = () => RawClient.connect(this.gateway.origin),
  ): Promise<RawClient> {
    const client = await connect();
    this.clients.push(client);
    client.send({
      path,
      headers: [['authorization', `Bearer ${API_KEY}`], ['content-type', 'application/json'], ...headers],
      body: body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body),
    });
    return client;
  }

  /** The log lines of all finished inference requests. */
  get requestLines(): JsonBody[] {
    const isInference = (route: unknown): boolean => /\/(messages|chat\/completions|responses)$/.test(String(route));
    return this.gateway.log.filter((line) => line['msg'] === 'request' && isInference(line['route']));
  }

  /** The log lines of warnings and errors, except those of requests. */
  get complaints(): JsonBody[] {
    const isComplaint = (level: unknown): boolean => level === 'warn' || level === 'error' || level === 'fatal';
    return this.gateway.log.filter((line) => isComplaint(line['level']) && line['msg'] !== 'request');
  }

  /** Resolves with the next log line of an inference request after the present ones. */
  async requestLine(index = this.requestLines.length): Promise<JsonBody> {
    while (this.requestLines.length <= index) await this.gateway.logged();
    return this.requestLines[index];
  }

  async metrics(): Promise<string> {
    return this.gateway.metrics();
  }

  async close(): Promise<void> {
    // The gateway waits for its clients.
    for (const client of this.clients) client.destroy();
    await this.gateway.close();
    await Promise.all([this.anthropic, this.openai, this.second].map((upstream) => upstream.close()));
  }
}

/** Tools for a body, by the names that the scripted replies call. */
export const TOOLS = ['get_weather', 'get_time'].map((name) => ({
  name,
  input_schema: { type: 'object', properties: {} },
}));

/** A body of `POST /messages`. */
export const ask = (model: string, more: object = {}): { model: string; [key: string]: JsonBody } => ({
  model,
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
  ...more,
});

export const askStream = (model: string, more: object = {}): ReturnType<typeof ask> =>
  ask(model, { stream: true, ...more });

// The frames of an Anthropic stream of one text block, for tests that split it.

export const START = frame('message_start', {
  type: 'message_start',
  message: {
    id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 1 },
  },
}); // oxfmt-ignore
export const OPEN =
  START +
  frame('content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
export const delta = (text: string): string =>
  frame('content_block_delta', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
export const END =
  frame('content_block_stop', { type: 'content_block_stop', index: 0 }) +
  frame('message_delta', {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 5 },
  }) +
  frame('message_stop', { type: 'message_stop' });

/** A wait that the test ends. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Holds the answer back until the gate is open: not even a status is sent. */
export const after =
  (opened: Promise<void>, script: Script): Script =>
  async (request, index) => {
    await opened;
    return script(request, index);
  };

/** The message that a stream's events form, assembled as by a client. */
export function buildMessage(events: readonly JsonBody[]): JsonBody {
  const [{ message }] = events;
  const content: JsonBody[] = [];
  const inputs = new Map<number, string>();
  let ending: JsonBody = {};
  for (const event of events.slice(1)) {
    const block = content[event.index];
    switch (event.type) {
      case 'content_block_start':
        content.push({ ...event.content_block });
        break;
      case 'content_block_delta':
        if (event.delta.type === 'text_delta') block.text += event.delta.text;
        else if (event.delta.type === 'thinking_delta') block.thinking += event.delta.thinking;
        else if (event.delta.type === 'signature_delta') block.signature += event.delta.signature;
        else if (event.delta.type === 'citations_delta')
          block.citations = [...(block.citations ?? []), event.delta.citation];
        else inputs.set(event.index, (inputs.get(event.index) ?? '') + event.delta.partial_json);
        break;
      case 'message_delta':
        ending = { ...event.delta, usage: event.usage };
        break;
    }
  }
  for (const [index, json] of inputs) content[index].input = JSON.parse(json);
  return { ...message, ...ending, content };
}

async function findClosedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
