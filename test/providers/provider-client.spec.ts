/**
 * Checks that the answer of a provider is refused, read and reported in one way for every kind of call, and that no
 * credential leaves the gateway. Each use of the client runs against a scripted loopback server; the same table
 * applies to all.
 */
import { Cancellation } from '../../src/core/cancellation.js';
import type { ModelEvent } from '../../src/core/conversation/event.js';
import { CallerGone, ProviderFault, type FaultDetail, type FaultKind } from '../../src/core/errors.js';
import type { Steps } from '../../src/core/steps.js';
import { anthropicMessages } from '../../src/providers/dialects/anthropic-messages/dialect.js';
import type { PreparedCall } from '../../src/providers/prepared-call.js';
import { Transport, type OutgoingCall, type UpstreamResponse } from '../../src/providers/transport/transport.js';
import { UndiciTransport } from '../../src/providers/transport/undici-transport.js';
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { ProviderBench } from '../support/provider-bench.js';
import { cutAfter, frame, HANG, json, neverAnswers, sse, type Answer } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const KEY = 'CANARY-of-the-provider';

let transport: UndiciTransport;
let upstream: Upstream;
let bench: ProviderBench;

beforeEach(async () => {
  transport = new UndiciTransport();
  upstream = await startUpstream('anthropic');
  bench = new ProviderBench(transport);
});

afterEach(async () => {
  transport.onApplicationShutdown();
  await upstream.close();
});

const live = (): Cancellation => new Cancellation();

const prepare = (stream = false): PreparedCall =>
  bench.prepare({ baseUrl: upstream.url, credential: KEY, request: { stream } });

async function readAll(call: PreparedCall, signal = live()): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const batch of await call.stream(signal, () => true)) events.push(...batch);
  return events;
}

const USES = [
  ['a whole reply', false, (call: PreparedCall, signal?: Cancellation) => call.answer(signal ?? live())],
  ['a stream', true, readAll],
  ['a count', false, (call: PreparedCall, signal?: Cancellation) => call.count(signal ?? live())],
] as const;

async function faultOf(work: Promise<unknown>): Promise<{ kind: FaultKind; message: string; detail: FaultDetail }> {
  const thrown: unknown = await work.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ProviderFault);
  const { kind, message, detail } = thrown as ProviderFault;
  expect(JSON.stringify([message, detail])).not.toContain('CANARY');
  return { kind, message, detail };
}

const refusal = (status: number, message: string): Answer => json(anthropicError('some_error', message), status);

describe.each(USES)('%s', (_name, stream, use) => {
  it('carries the credential, and the headers that are the same for all', async () => {
    upstream.script((request, index) =>
      request.path.endsWith('count_tokens') ? json({ input_tokens: 3 }) : anthropicText('Hi')(request, index),
    );
    const call = prepare(stream);
    await use(call);
    expect(call.status).toBe(200);
    expect(upstream.requests.at(-1)!.headers).toMatchObject({
      'x-api-key': KEY,
      'user-agent': 'fairlead/1.0',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
    });
  });

  it.each([
    [401, 'refused-credential'],
    [429, 'rate-limited'],
    [500, 'server-error'],
  ])('is refused with the status, in the dialect’s words, without the credential: %d', async (status, kind) => {
    upstream.script(refusal(status, `What of ${KEY}?`));
    const call = prepare(stream);
    expect(await faultOf(use(call))).toEqual({
      kind,
      message: 'What of [secret]?',
      detail: { status, providerCode: 'some_error' },
    });
    expect(call.status).toBe(status);
  });

  it.each([
    ['breaks off', (answer: Answer) => cutAfter(answer, 20)],
    ['is longer than anybody reads', (answer: Answer): Answer => ({ ...answer, body: [' '.repeat(100_000), HANG] })],
  ])('is refused by its status though the error’s body %s', async (_what, broken) => {
    upstream.script(broken(refusal(529, 'Busy.')));
    expect(await faultOf(use(prepare(stream)))).toMatchObject({ kind: 'overloaded', detail: { status: 529 } });
  });

  it('is malformed where it is no JSON', async () => {
    upstream.script({ headers: { 'content-type': 'application/json' }, body: [`<p>${KEY}</p>`] });
    expect(await faultOf(use(prepare(stream)))).toMatchObject({ kind: 'malformed-reply' });
  });

  it('ends with the signal’s reason', async () => {
    upstream.script(neverAnswers());
    const received = upstream.request();
    const cancellation = live();
    const work = use(prepare(stream), cancellation);
    const { closed } = await received;
    cancellation.abort(new CallerGone());
    await expect(work).rejects.toBe(cancellation.reason);
    await closed;
  });
});

describe.each(USES.slice(0, 2))('%s that came whole', (_name, stream, use) => {
  it('reports an error inside it without the credential', async () => {
    upstream.script(json(anthropicError('overloaded_error', `${KEY} is busy`)));
    const call = prepare(stream);
    expect(await faultOf(use(call))).toMatchObject({ kind: 'overloaded', message: '[secret] is busy' });
    expect(call.status).toBe(200);
  });

  it('holds to the grammar, whatever the dialect makes of it', async () => {
    const decode = jest
      .spyOn(anthropicMessages, 'decodeWhole')
      .mockImplementation(() => stepsOf([{ type: 'reply-start' }]));
    upstream.script(json({}));
    const fault = await faultOf(use(prepare(stream)));
    decode.mockRestore();
    expect(fault).toMatchObject({
      kind: 'malformed-reply',
      message: expect.stringContaining('before the reply ended'),
    });
  });

  it('holds to tool calls with JSON objects', async () => {
    const call = { id: 't', type: 'function', function: { name: 'f', arguments: '[1]' } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    upstream.strict = false;
    upstream.script(json({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }));
    const chat = bench.prepare({ baseUrl: upstream.url, dialect: 'openai-chat', request: { stream } });
    expect(await faultOf(use(chat))).toMatchObject({
      kind: 'malformed-reply',
      message: expect.stringContaining('tool f'),
    });
  });
});

describe('a stream', () => {
  const START = frame('message_start', {
    type: 'message_start',
    message: { id: 'msg_1', model: 'm', usage: { input_tokens: 1 } },
  });
  const BEGIN = frame('content_block_start', {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'text', text: '' },
  });
  const DELTA = frame('content_block_delta', {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'Hi' },
  });

  it('reports a mid-stream fault without the credential, after the preceding events', async () => {
    upstream.script(sse([START + BEGIN + DELTA + frame('error', anthropicError('api_error', `no more ${KEY}`))]));
    const events: ModelEvent[] = [];
    const batches = await prepare(true).stream(live(), () => true);
    const reading = (async () => {
      for await (const batch of batches) events.push(...batch);
    })();
    expect(await faultOf(reading)).toMatchObject({ kind: 'server-error', message: 'no more [secret]' });
    expect(events.map(({ type }) => type)).toEqual(['reply-start', 'usage', 'block-start', 'block-delta']);
  });

  it('drops the contents before a fault where they are not used', async () => {
    upstream.script(sse([START + BEGIN + DELTA + frame('error', anthropicError('api_error', 'no more'))]));
    const batches = await prepare(true).stream(live(), () => false);
    await expect(batches.next()).rejects.toMatchObject({ kind: 'server-error' });
  });

  it('reports breaches of the grammar, and a stream that stops early, without the credential', async () => {
    upstream.script(sse([START + DELTA]));
    expect(await faultOf(readAll(prepare(true)))).toMatchObject({ kind: 'malformed-reply' });
    upstream.script(sse([START + BEGIN + DELTA]));
    expect(await faultOf(readAll(prepare(true)))).toMatchObject({ kind: 'malformed-reply' });
  });
});

it('waits two seconds for the body of an error that never ends', async () => {
  upstream.script({ ...refusal(529, 'Busy.'), body: ['{"type"', HANG] });
  const received = upstream.request();
  expect(await faultOf(prepare().answer(live()))).toMatchObject({ kind: 'overloaded', detail: { status: 529 } });
  await (
    await received
  ).closed;
});

it('reads no more of a reply than its limit', async () => {
  await expect(prepare().answer(live(), 50)).rejects.toMatchObject({ kind: 'malformed-reply' });
  await expect(prepare().answer(live(), 5_000)).resolves.toHaveLength(6);
});

/** Records the call, and never answers. */
class Keeping extends Transport {
  readonly calls: OutgoingCall[] = [];

  override open(call: OutgoingCall): Promise<UpstreamResponse> {
    this.calls.push(call);
    return new Promise<never>(() => undefined);
  }
}

it('is sent before other work has a turn, where it waits for nothing', () => {
  const keeping = new Keeping();
  const client = new ProviderBench(keeping);
  for (const stream of [false, true]) {
    const call = client.prepare({ baseUrl: 'http://provider.test/base', request: { stream } });
    void (stream ? call.stream(live(), () => true) : call.answer(live()));
  }
  expect(keeping.calls.map(({ url, stream }) => [url, stream])).toEqual([
    ['http://provider.test/base/v1/messages', false],
    ['http://provider.test/base/v1/messages', true],
  ]);
});

it('knows which providers can count', () => {
  const endpointOf = (dialect: 'anthropic-messages' | 'openai-chat') =>
    bench.prepare({ baseUrl: upstream.url, dialect }).target.endpoint;
  expect(bench.client.canCount(endpointOf('anthropic-messages'))).toBe(true);
  expect(bench.client.canCount(endpointOf('openai-chat'))).toBe(false);
});

// oxlint-disable-next-line require-yield -- it is one step
function* stepsOf(events: ModelEvent[]): Steps<ModelEvent[]> {
  return events;
}
