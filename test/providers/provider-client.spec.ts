/**
 * Goal: whatever a provider is called for, its answer is refused, read and told of in one way, and no credential
 * leaves. Method: each use of the client against a scripted loopback server; the same table for all.
 */
import { Cancellation } from '../../src/core/cancellation.js';
import type { ModelEvent } from '../../src/core/conversation/event.js';
import { CallerGone, ProviderFault, type FaultDetail, type FaultKind } from '../../src/core/errors.js';
import type { Steps } from '../../src/core/steps.js';
import { anthropicMessages } from '../../src/providers/dialects/anthropic-messages/dialect.js';
import type { PreparedCall } from '../../src/providers/prepared-call.js';
import { Transport, type OutgoingCall, type UpstreamResponse } from '../../src/providers/transport.js';
import { UndiciTransport } from '../../src/providers/undici-transport.js';
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
    const asked = upstream.request();
    const cancellation = live();
    const work = use(prepare(stream), cancellation);
    const { closed } = await asked;
    cancellation.abort(new CallerGone());
    await expect(work).rejects.toBe(cancellation.reason);
    await closed;
  });
});

describe.each(USES.slice(0, 2))('%s that came whole', (_name, stream, use) => {
  it('tells of an error inside of it without the credential', async () => {
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

  it('tells of a fault in its midst without the credential, after what came before', async () => {
    upstream.script(sse([START + BEGIN + DELTA + frame('error', anthropicError('api_error', `no more ${KEY}`))]));
    const events: ModelEvent[] = [];
    const batches = await prepare(true).stream(live(), () => true);
    const reading = (async () => {
      for await (const batch of batches) events.push(...batch);
    })();
    expect(await faultOf(reading)).toMatchObject({ kind: 'server-error', message: 'no more [secret]' });
    expect(events.map(({ type }) => type)).toEqual(['reply-start', 'usage', 'block-start', 'block-delta']);
  });

  it('drops what came with a fault where nobody wants it', async () => {
    upstream.script(sse([START + BEGIN + DELTA + frame('error', anthropicError('api_error', 'no more'))]));
    const batches = await prepare(true).stream(live(), () => false);
    await expect(batches.next()).rejects.toMatchObject({ kind: 'server-error' });
  });

  it('tells of what breaks the grammar, and of a stream that stops early, without the credential', async () => {
    upstream.script(sse([START + DELTA]));
    expect(await faultOf(readAll(prepare(true)))).toMatchObject({ kind: 'malformed-reply' });
    upstream.script(sse([START + BEGIN + DELTA]));
    expect(await faultOf(readAll(prepare(true)))).toMatchObject({ kind: 'malformed-reply' });
  });
});

it('waits two seconds for the body of an error that never ends', async () => {
  upstream.script({ ...refusal(529, 'Busy.'), body: ['{"type"', HANG] });
  const asked = upstream.request();
  expect(await faultOf(prepare().answer(live()))).toMatchObject({ kind: 'overloaded', detail: { status: 529 } });
  await (
    await asked
  ).closed;
});

it('reads no more of a reply than it is told', async () => {
  await expect(prepare().answer(live(), 50)).rejects.toMatchObject({ kind: 'malformed-reply' });
  await expect(prepare().answer(live(), 5_000)).resolves.toHaveLength(6);
});

/** Keeps what it is given, and answers nothing. */
class Keeping extends Transport {
  readonly calls: OutgoingCall[] = [];

  override open(call: OutgoingCall): Promise<UpstreamResponse> {
    this.calls.push(call);
    return new Promise<never>(() => undefined);
  }
}

it('is on its way before anybody else has a turn, where nothing has to be waited for', () => {
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

it('knows who can count', () => {
  const endpointOf = (dialect: 'anthropic-messages' | 'openai-chat') =>
    bench.prepare({ baseUrl: upstream.url, dialect }).target.endpoint;
  expect(bench.client.canCount(endpointOf('anthropic-messages'))).toBe(true);
  expect(bench.client.canCount(endpointOf('openai-chat'))).toBe(false);
});

// oxlint-disable-next-line require-yield -- it is one step
function* stepsOf(events: ModelEvent[]): Steps<ModelEvent[]> {
  return events;
}
