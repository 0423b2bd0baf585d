/**
 * Engines are called within their time limit, with few and fairly shared concurrent calls; no fault reveals an address
 * or credential. The real client against loopback servers.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { Cancellation } from '../../src/core/cancellation.js';
import { CallerGone } from '../../src/core/errors.js';
import { ExtensionFault, type EngineCall } from '../../src/core/extension.js';
import { Secret } from '../../src/core/secret.js';
import { EngineClients } from '../../src/tools/engine-client.js';
import { HANG, json, neverAnswers, type Answer, type Script } from '../support/upstream-answers.js';
import { Upstream } from '../support/upstreams.js';

const KEY = 'engine-key-0123456789';
/** Slots of one key, and its waiting calls. */
const SLOTS = 16;
const WAITING = 64;
const CALL = {
  name: 'exa',
  method: 'POST',
  path: '/search?x=1',
  headers: { 'x-api-key': KEY },
  timeoutMs: 10_000,
  bytesMax: 1_000,
} as const;
const open: Upstream[] = [];
afterEach(() => Promise.all(open.splice(0).map((upstream) => upstream.close())));

async function bench(script: Script | Answer) {
  const upstream = new Upstream(() => undefined, typeof script === 'function' ? script : () => script);
  open.push(await upstream.listen());
  const clients = new EngineClients();
  const engine = { baseUrl: `${upstream.url}/base` };
  const call = (changes: Partial<EngineCall> = {}, signal = new Cancellation(), key = 'k') =>
    clients.open(key).call({ engine, ...CALL, body: { query: 'ü' }, ...changes }, signal);
  return { upstream, call };
}

const faultOf = (calling: Promise<unknown>): Promise<ExtensionFault> =>
  calling.then(
    () => {
      throw new Error('It was answered.');
    },
    (error: ExtensionFault) => error,
  );

it('sends JSON below the base address, and requests no compression', async () => {
  const { upstream, call } = await bench(json({ exact: 1 }));
  expect(await call()).toEqual({ exact: 1 });
  const [request] = upstream.requests;
  expect([request!.method, request!.path, request!.json]).toEqual(['POST', '/base/search?x=1', { query: 'ü' }]);
  expect(request!.headers).toMatchObject({
    'x-api-key': KEY,
    'content-type': 'application/json',
    'accept-encoding': 'identity',
  });
});

it('calls by GET without a body', async () => {
  const { upstream } = await bench(json([1]));
  const call = { ...CALL, method: 'GET', engine: { baseUrl: upstream.url } } as const;
  expect(await new EngineClients().open('k').call(call, new Cancellation())).toEqual([1]);
  const [request] = upstream.requests;
  expect([request!.method, request!.rawBody.length, request!.headers['content-type']]).toEqual(['GET', 0, undefined]);
});

it('accepts an answer of the maximum size, and none that is larger', async () => {
  const answer = json({ text: 'x'.repeat(1_000 - '{"text":""}'.length) });
  const { call } = await bench({ ...answer });
  expect(await call()).toEqual({ text: expect.any(String) as string });
  expect(await faultOf(call({ bytesMax: 999 }))).toMatchObject({ kind: 'too-large' });
});

describe('an answer that repeats the credential', () => {
  const SLASHED = 'engine/key/0123456789';
  const QUOTED = 'engine"key\\0123456789';
  const hexed = SLASHED.replaceAll(/./g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
  const long = 'é"\\'.repeat(40_000);

  it.each<[string, string, string]>([
    ['in clear, of sixteen letters', 'sixteen-letters!', '{"debug":"sixteen-letters!"}'],
    ['in clear', KEY, `{"debug":"x-api-key: ${KEY}"}`],
    ['with its slashes escaped', SLASHED, `{"debug":"${SLASHED.replaceAll('/', '\\/')}"}`],
    ['with what JSON has to escape', QUOTED, JSON.stringify({ debug: QUOTED })],
    ['all in escapes', SLASHED, `{"${hexed}":1}`],
    ['across pieces of what is long', SLASHED, JSON.stringify({ long }).replace('}', `,"debug":"${hexed}"}`)],
  ])('is discarded: %s', async (_, credential, answer) => {
    const { upstream, call } = await bench({ headers: { 'content-type': 'application/json' }, body: [answer] });
    const engine = { baseUrl: upstream.url, credential: new Secret(credential) };
    const fault = await faultOf(call({ engine, bytesMax: 1_000_000 }));
    expect(fault).toMatchObject({ kind: 'unavailable', message: expect.not.stringContaining(credential) as string });
  });

  it('is accepted where that is a short word, or another', async () => {
    const { upstream, call } = await bench(json({ text: 'a short word \\/ and ü' }));
    const at = (credential: string) => ({ engine: { baseUrl: upstream.url, credential: new Secret(credential) } });
    for (const credential of ['short', SLASHED])
      expect(await call(at(credential))).toEqual({ text: 'a short word \\/ and ü' });
  });
});

it('rejects an answer by its announced length, before all of it has arrived', async () => {
  const text = JSON.stringify('x'.repeat(998));
  const { upstream, call } = await bench({ headers: { 'content-length': '1000' }, body: [text] });
  expect(await call()).toHaveLength(998);
  upstream.script(() => ({ headers: { 'content-length': '1001' }, body: ['"', HANG] }));
  expect(await faultOf(call())).toMatchObject({ kind: 'too-large' });
});

it('counts all received bytes of an answer, in any chunks', async () => {
  const pieces = (count: number) => ['"', ...Array.from({ length: count }, () => 'x'.repeat(100)), '"'];
  const { upstream, call } = await bench(() => ({ body: pieces(9) }));
  expect(await call()).toHaveLength(900);
  upstream.script(() => ({ body: pieces(10) }));
  expect(await faultOf(call())).toMatchObject({ kind: 'too-large' });
});

it('rejects compressed answers', async () => {
  const encoded = (encoding: string): Answer => ({ headers: { 'content-encoding': encoding }, body: ['{}'] });
  const { upstream, call } = await bench(encoded('gzip'));
  expect(await faultOf(call())).toMatchObject({
    kind: 'unavailable',
    message: 'The engine answered with a compressed body.',
  });
  upstream.script(() => encoded('identity'));
  expect(await call()).toEqual({});
});

// oxfmt-ignore
it.each([
  [401, 'refused'], [402, 'refused'], [403, 'refused'], [404, 'not-found'], [408, 'timed-out'], [413, 'too-large'],
  [429, 'busy'], [504, 'timed-out'], [201, 'unavailable'], [302, 'unavailable'], [400, 'unavailable'], [503, 'unavailable'],
])('maps status %i to %s', async (status, kind) => {
  const { call } = await bench(json({ error: KEY }, status));
  expect(await faultOf(call())).toMatchObject({ kind, message: `The engine answered with status ${status}.` });
});

it.each([
  ['that never answers', neverAnswers()],
  ['whose answer continues byte by byte', dripping()],
])('gives up an engine %s when its time is over', async (_, answer) => {
  const { upstream, call } = await bench(answer);
  expect(await faultOf(call({ timeoutMs: 200 }))).toMatchObject({ kind: 'timed-out' });
  await upstream.requests[0]!.closed;
  expect(upstream.requests[0]!.aborted).toBe(true);
});

function dripping(): Answer {
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
  return {
    body: (function* () {
      for (;;) {
        yield ' ';
        yield pause();
      }
    })(),
  };
}

// Sooner than the connection would time out.
it('abandons a connection that is still being made, when it is aborted', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const engine = { baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const abort = new Cancellation();
  const calling = new EngineClients().open('k').call({ ...CALL, engine }, abort);
  const [socket] = (await once(server, 'connection')) as [Socket];
  const closed = once(socket.resume(), 'close');
  abort.abort(new CallerGone());
  await expect(calling).rejects.toThrow(CallerGone);
  await closed;
  server.close();
}, 4_000);

describe('a fault', () => {
  const credential = `${KEY}\nx-evil: 1`;

  it.each<[string, Answer, Partial<EngineCall>]>([
    ['of an answer', json({ error: KEY }, 500), {}],
    ['of what is no JSON', { body: [`{"${KEY}`] }, {}],
    ['of a header that HTTP cannot carry', json({}), { headers: { authorization: credential } }],
    ['of an unknown name', json({}), { engine: { baseUrl: 'http://engine.invalid' } }],
    ['of a port without a listener', json({}), { engine: { baseUrl: 'http://127.0.0.1:1' } }],
    ['of an engine without an address', json({}), { engine: {} }],
  ])('%s reveals neither key nor address', async (_, answer, changes) => {
    const { upstream, call } = await bench(answer);
    const fault = await faultOf(call(changes));
    expect(fault).toBeInstanceOf(ExtensionFault);
    const printed = inspect(fault, { depth: Infinity, showHidden: true });
    for (const secret of [KEY, String(upstream.port), 'engine.invalid', '127.0.0.1'])
      expect(printed).not.toContain(secret);
  });
});

describe('many calls', () => {
  it('of one key wait for one another only, and some fail with `busy`', async () => {
    let answer = (): void => undefined;
    const released = new Promise<void>((resolve) => (answer = resolve));
    const { upstream, call } = await bench(async () => {
      await released;
      return json(1);
    });
    const calls = Array.from({ length: SLOTS + WAITING }, () => call());
    await upstream.request(SLOTS - 1);
    expect(await faultOf(call())).toMatchObject({ kind: 'busy' });
    const other = call({}, new Cancellation(), 'another');
    await upstream.request(SLOTS);
    expect(upstream.requests).toHaveLength(SLOTS + 1);
    answer();
    expect(await Promise.all([...calls, other])).toHaveLength(SLOTS + WAITING + 1);
  });

  it('end while they wait, and free their slots', async () => {
    const { upstream, call } = await bench(neverAnswers());
    const abort = new Cancellation();
    const calls = Array.from({ length: SLOTS + 3 }, () => call({}, abort));
    await upstream.request(SLOTS - 1);
    abort.abort(new CallerGone());
    for (const one of calls) await expect(one).rejects.toThrow(CallerGone);
    upstream.script(json(1));
    expect(await call()).toBe(1);
  });
});
