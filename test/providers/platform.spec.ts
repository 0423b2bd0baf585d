/**
 * Checks that a platform unlike the direct one fits the interface while dialects, the client and the transport stay
 * as they are. A made-up platform (test/support/relay-platform.ts) runs through the client, to a loopback server that
 * verifies each call.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cancellation } from '../../src/core/cancellation.js';
import type { ModelEvent } from '../../src/core/conversation/event.js';
import { CallerGone, ProviderFault } from '../../src/core/errors.js';
import { shorten } from '../../src/core/json/shorten.js';
import type { DialectId } from '../../src/core/routing/catalog.js';
import { SseReader, type SseFrame } from '../../src/core/stream/sse.js';
import type { PreparedCall } from '../../src/providers/prepared-call.js';
import { UndiciTransport } from '../../src/providers/transport/undici-transport.js';
import { ProviderBench, type BenchCall } from '../support/provider-bench.js';
import type { RecordedRequest } from '../support/recorded-request.js';
import { RELAY_STREAM, relayFrame, RelayPlatform, signRelay, type RelayAccount } from '../support/relay-platform.js';
import { json, type Answer } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const ACCOUNT: RelayAccount = { project: 'p1', region: 'eu', secret: 'CANARY-of-the-relay' };
const DIALECTS = ['anthropic-messages', 'openai-chat'] as const;
const RECORDINGS = join(__dirname, 'recordings');

let transport: UndiciTransport;
let upstream: Upstream;
let relay: ProviderBench;
/** Answers a request for a token, and a call with the right token and signature. */
let issue: () => Answer | Promise<Answer>;
let answer: (request: RecordedRequest) => Answer;
let tokens: number;

beforeEach(async () => {
  transport = new UndiciTransport();
  upstream = await startUpstream('anthropic');
  upstream.strict = false;
  upstream.script((request) => (request.path === '/token' ? issue() : (complaint(request) ?? answer(request))));
  relay = new ProviderBench(transport, (means) => new RelayPlatform(means));
  tokens = 0;
  issue = () => json({ token: tokenOf(++tokens), seconds: 600 });
  answer = () => json(recordedWhole('anthropic-messages'));
});

afterEach(async () => {
  transport.onApplicationShutdown();
  await upstream.close();
});

const tokenOf = (number: number): string => `token-${number}-CANARY-of-24-characters`;

/** Requests that the relay refuses by itself. */
function complaint({ headers, path, rawBody }: RecordedRequest): Answer | undefined {
  const refuse = (message: string): Answer => ({ status: 403, headers: { 'x-relay-error': 'yes' }, body: [message] });
  if (headers.authorization !== `Relay ${tokenOf(tokens)}`) return refuse(`What is ${headers.authorization}?`);
  const signature = signRelay(ACCOUNT.secret, headers.host!, path, [rawBody]);
  return headers['x-relay-signature'] === signature ? undefined : refuse('The signature is not of this call.');
}

const prepare = (changes: Partial<BenchCall> = {}): PreparedCall =>
  relay.prepare({ baseUrl: `${upstream.origin}/{region}`, credential: JSON.stringify(ACCOUNT), ...changes });

const live = (): Cancellation => new Cancellation();

async function readAll(call: PreparedCall): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  await readInto(events, call);
  return events;
}

async function readInto(events: ModelEvent[], call: PreparedCall): Promise<void> {
  for await (const batch of await call.stream(live(), () => true)) events.push(...batch);
}

/** Events from different bytes are equal without their source. */
const withoutSource = (events: readonly ModelEvent[]): unknown[] =>
  events.map((event) => {
    const { source: _source, ...rest } = { source: undefined, ...event };
    return rest;
  });

function recordedWhole(dialect: DialectId): unknown {
  return JSON.parse(readFileSync(join(RECORDINGS, dialect, 'text.json'), 'utf8'));
}

function recordedFrames(dialect: DialectId, name: string): Buffer[] {
  const frames: SseFrame[] = [];
  new SseReader().push(readFileSync(join(RECORDINGS, dialect, `${name}.sse`)), frames);
  return frames.map(({ event, data }) => relayFrame('event', `${event}\n${data}`));
}

const stream = (bytes: Buffer, size = bytes.length): Answer => ({
  headers: { 'content-type': RELAY_STREAM },
  body: Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  ),
});

async function faultOf(work: Promise<unknown>): Promise<ProviderFault> {
  const thrown: unknown = await work.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ProviderFault);
  expect(`${(thrown as Error).message} ${JSON.stringify((thrown as ProviderFault).detail)}`).not.toContain('CANARY');
  return thrown as ProviderFault;
}

describe('what is sent', () => {
  it.each([
    [{ stream: false }, 'answer'],
    [{ stream: true }, 'stream'],
  ])('calls the address of region, project and model, in the form of the platform: %j', async (request, verb) => {
    const call = prepare({ request });
    await (request.stream ? readAll(call) : call.answer(live()));
    const { path, json: body, headers } = upstream.requests.at(-1)!;
    expect(path).toBe(`/eu/projects/p1/models/vendor%2Fmodel-1%3A0:${verb}`);
    expect(body).toMatchObject({ relay_version: 1, max_tokens: 100 });
    expect(body).not.toHaveProperty('model');
    expect(headers).toMatchObject({ accept: `${RELAY_STREAM}, application/json`, 'anthropic-version': '2023-06-01' });
  });

  it('counts tokens the same way', async () => {
    answer = () => json({ input_tokens: 42 });
    expect(await prepare().count(live())).toEqual({ inputTokens: 42 });
    expect(upstream.requests.at(-1)!.path).toBe('/eu/projects/p1/models/vendor%2Fmodel-1%3A0:count');
  });

  it.each([
    [1, 'string'],
    [300_000, 'object'],
  ])('is signed as it is printed, also in parts: %d times a few characters', async (times, form) => {
    const opened = jest.spyOn(transport, 'open');
    const text = 'é€😀"\\\n'.repeat(times);
    const request = {
      messages: [{ role: 'user', content: [{ type: 'text', text }] }],
      echoesUpstreamBody: true,
    } as const;
    const call = prepare({ request });
    await call.answer(live());
    const { rawBody, headers, json: body } = upstream.requests.at(-1)!;
    expect(body.messages[0].content[0].text).toBe(text);
    expect(call.sentBody).toEqual(shorten(body));
    expect(typeof opened.mock.lastCall![0].body).toBe(form);
    // The transport's own header, though the platform named another.
    expect(headers['content-length']).toBe(String(rawBody.length));
    expect(headers.host).toBe(new URL(upstream.origin).host);
  });

  it('is refused by the platform when another signed it', async () => {
    const stranger = { ...ACCOUNT, secret: 'another secret' };
    const fault = await faultOf(prepare({ credential: JSON.stringify(stranger) }).answer(live()));
    expect([fault.kind, fault.detail.status, fault.message]).toEqual([
      'refused-credential',
      403,
      'The signature is not of this call.',
    ]);
  });

  it('is nothing where the credential has another form', async () => {
    const fault = await faultOf(prepare({ credential: 'CANARY' }).answer(live()));
    expect(fault).toMatchObject({ kind: 'refused-credential', detail: {} });
    expect(upstream.requests).toHaveLength(0);
  });
});

describe('a token that is fetched', () => {
  it('is fetched once for all waiting calls, and again once it has expired', async () => {
    await Promise.all(Array.from({ length: 5 }, () => prepare().answer(live())));
    expect([tokens, upstream.requests.length]).toEqual([1, 6]);
    relay.clock.aheadMs += 599_000;
    await prepare().answer(live());
    expect(tokens).toBe(1);
    relay.clock.aheadMs += 2_000;
    await prepare().answer(live());
    expect(tokens).toBe(2);
  });

  it('is waited for until the call is aborted, and still serves the others', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    issue = () => held.then(() => json({ token: tokenOf(++tokens), seconds: 600 }));
    const received = upstream.request();
    const cancellation = live();
    const left = prepare().answer(cancellation);
    const stayed = prepare().answer(live());
    await received;
    const reason = new CallerGone();
    cancellation.abort(reason);
    await expect(left).rejects.toBe(reason);
    release();
    expect((await stayed).at(-1)).toMatchObject({ type: 'reply-end' });
    expect([tokens, upstream.requests.length]).toEqual([1, 2]);
  });

  it('is not waited for by a call that was aborted before', async () => {
    issue = () => json({ token: tokenOf(++tokens), seconds: 600 });
    const cancellation = live();
    cancellation.abort(new CallerGone());
    await expect(prepare().answer(cancellation)).rejects.toBe(cancellation.reason);
  });

  it('fails the call by a fault that holds nothing of the credential, and is requested again', async () => {
    issue = () => json({ error: `no such key: ${ACCOUNT.secret}` }, 401);
    for (const request of [{ stream: false }, { stream: true }]) {
      const call = prepare({ request });
      const fault = await faultOf(request.stream ? readAll(call) : call.answer(live()));
      expect(fault).toMatchObject({ kind: 'refused-credential', detail: { status: 401 } });
    }
    issue = () => json({ token: tokenOf(++tokens), seconds: 600 });
    await prepare().answer(live());
    expect(tokens).toBe(1);
  });

  it('is dropped once it is refused, and is not in the text of the refusal', async () => {
    await prepare().answer(live());
    tokens++; // The relay knows another one by now.
    const fault = await faultOf(prepare().answer(live()));
    expect([fault.kind, fault.message]).toEqual(['refused-credential', 'What is Relay [secret]?']);
    await prepare().answer(live());
    expect(tokens).toBe(3);
  });
});

describe('what is answered', () => {
  const DIRECT_NAMES = [
    ['anthropic-messages', 'text'],
    ['anthropic-messages', 'parallel-tools'],
    ['openai-chat', 'text'],
    ['openai-chat', 'tools'],
  ] as const;

  it.each(DIRECT_NAMES)('gives the events of the direct platform: %s, %s', async (dialect, name) => {
    const direct = new ProviderBench(transport);
    const request = { stream: true };
    const frames = Buffer.concat(recordedFrames(dialect, name));
    answer = () => stream(frames);
    const relayed = await readAll(prepare({ dialect, request }));
    const sse = readFileSync(join(RECORDINGS, dialect, `${name}.sse`));
    upstream.script(() => ({ headers: { 'content-type': 'text/event-stream' }, body: [sse] }));
    const plain = await readAll(direct.prepare({ baseUrl: upstream.origin, dialect, request }));
    expect(withoutSource(relayed)).toEqual(withoutSource(plain));
    expect(relayed.at(-1)).toMatchObject({ type: 'reply-end' });
  });

  it.each([1, 2, 3, 5, 7, 64])('is read whatever the bytes are cut into: %d', async (size) => {
    const frames = Buffer.concat(recordedFrames('anthropic-messages', 'text'));
    answer = () => stream(frames);
    const atOnce = await readAll(prepare({ request: { stream: true } }));
    answer = () => stream(frames, size);
    expect(await readAll(prepare({ request: { stream: true } }))).toEqual(atOnce);
  });

  it.each(DIALECTS)('may be whole though a stream was requested: %s', async (dialect) => {
    answer = () => json(recordedWhole(dialect));
    const whole = await prepare({ dialect }).answer(live());
    expect(await readAll(prepare({ dialect, request: { stream: true } }))).toEqual(whole);
  });

  it.each([
    ['throttled', 'rate-limited'],
    ['model-timed-out', 'timed-out'],
    ['other', 'server-error'],
  ])('fails by an exception framed mid-stream: %s', async (name, kind) => {
    const frames = recordedFrames('anthropic-messages', 'text').slice(0, 4);
    const exception = relayFrame('exception', `${name}\n${tokenOf(1)} and ${ACCOUNT.secret} may not`);
    answer = () => stream(Buffer.concat([...frames, exception]));
    const events: ModelEvent[] = [];
    const fault = await faultOf(readInto(events, prepare({ request: { stream: true } })));
    expect([fault.kind, fault.message]).toEqual([kind, '[secret] and [secret] may not']);
    expect(events.some(({ type }) => type === 'block-delta')).toBe(true);
  });

  it('is malformed when it ends within a frame, or between two of them', async () => {
    const frames = recordedFrames('anthropic-messages', 'text');
    const whole = Buffer.concat(frames);
    for (const length of [whole.length - 1, whole.length - frames.at(-1)!.length]) {
      answer = () => stream(whole.subarray(0, length));
      expect((await faultOf(readAll(prepare({ request: { stream: true } })))).kind).toBe('malformed-reply');
    }
  });

  it('is refused in the form of the dialect where the model behind refused', async () => {
    answer = () => json({ type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } }, 529);
    expect(await faultOf(prepare().answer(live()))).toMatchObject({
      kind: 'overloaded',
      message: 'Busy.',
      detail: { status: 529, providerCode: 'overloaded_error' },
    });
    expect(tokens).toBe(1);
  });
});
