/**
 * Checks the transport's contract towards real sockets: every failure of a provider is a fault of the right kind, a
 * slow reader stops the provider, and an abort closes the connection at every stage. UndiciTransport runs against
 * scripted loopback servers; waits are promises, never sleeps. Rules: docs/use/streaming.md.
 */
import { getEventListeners } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { ProviderFault } from '../../src/core/errors.js';
import { SseReader } from '../../src/core/stream/sse.js';
import { pump } from '../../src/core/stream/pump.js';
import { HOUR_MS } from '../../src/core/time.js';
import { OriginPool } from '../../src/providers/transport/connection.js';
import type { OutgoingCall } from '../../src/providers/transport/transport.js';
import { UndiciTransport } from '../../src/providers/transport/undici-transport.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import {
  cutAfter,
  cutBytes,
  endless,
  garbage,
  HANG,
  json,
  neverAnswers,
  resets,
  sse,
  type Answer,
} from '../support/upstream-answers.js';

let transport: UndiciTransport;
let upstream: Upstream;

beforeEach(async () => {
  transport = new UndiciTransport();
  upstream = await startUpstream('anthropic');
  upstream.strict = false;
});

afterEach(async () => {
  transport.onApplicationShutdown();
  await upstream.close();
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const live = (): AbortSignal => new AbortController().signal;

function call(changes: Partial<OutgoingCall> = {}): OutgoingCall {
  return {
    url: `${upstream.url}/v1/messages`,
    headers: { 'content-type': 'application/json' },
    body: '{"stream":true}',
    stream: true,
    connectTimeoutMs: 2_000,
    idleTimeoutMs: 60_000,
    ...changes,
  };
}

async function text(chunks: AsyncIterable<readonly Uint8Array[]>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const batch of chunks) parts.push(...batch);
  return Buffer.concat(parts).toString();
}

async function faultOf(promise: Promise<unknown>): Promise<ProviderFault> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProviderFault);
  return error as ProviderFault;
}

/** Rejects after a second: the limit within which an upstream must be closed. */
async function withinOneSecond<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('It took more than a second.')), 1_000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

describe('a successful call', () => {
  it('sends method, path, headers and body as given and reads the whole answer', async () => {
    upstream.script((request) => json({ echo: request.json }, 201, { 'x-two': ['a', 'b'] }));
    const headers = { 'content-type': 'application/json', 'x-api-key': 'key', 'accept-encoding': 'identity' };
    const response = await transport.open(call({ headers, body: '{"text":"ü€😀"}', stream: false }), live());
    expect(response.status).toBe(201);
    expect(response.headers['x-two']).toEqual(['a', 'b']);
    expect(JSON.parse((await response.read(1_000)).toString())).toEqual({ echo: { text: 'ü€😀' } });
    expect(upstream.requests[0]).toMatchObject({ method: 'POST', path: '/v1/messages', headers });
  });

  it.each([1, 2, 3, 7, 1_000])('gives the bytes of a stream written %i bytes at a time', async (size) => {
    const stream = 'event: a\ndata: {"text":"ü€😀"}\n\n'.repeat(20);
    upstream.script(sse(cutBytes(stream, size)));
    const response = await transport.open(call(), live());
    expect(await text(response.chunks)).toBe(stream);
  });

  it('writes a body in parts as one of its length, and keeps the connection', async () => {
    upstream.script(() => json({ fine: true }));
    const parts = Array.from({ length: 100 }, (_, index) => Buffer.alloc(100_000, `part ${index} `));
    for (let round = 0; round < 2; round++) {
      const response = await transport.open(call({ body: parts, stream: false }), live());
      expect((await response.read(1_000)).toString()).toBe('{"fine":true}');
      const { rawBody, headers } = upstream.requests[round]!;
      expect(rawBody.equals(Buffer.concat(parts))).toBe(true);
      expect(headers['content-length']).toBe('10000000');
      expect(headers['transfer-encoding']).toBeUndefined();
    }
    expect(upstream.connectionsAccepted).toBe(1);
  });

  it('gives all that came since the last pull in one piece', async () => {
    upstream.script({
      raw: true,
      body: ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n'],
    });
    const response = await transport.open(call(), live());
    const batches: string[][] = [];
    for await (const batch of response.chunks) batches.push(batch.map((chunk) => Buffer.from(chunk).toString()));
    expect(batches).toEqual([['a', 'b', 'c']]);
  });

  it('returns redirects as they are', async () => {
    upstream.script({ status: 302, headers: { location: `${upstream.url}/elsewhere` }, body: [] });
    const response = await transport.open(call(), live());
    expect(response.status).toBe(302);
    await response.read(100);
    expect(upstream.requests).toHaveLength(1);
  });

  it('passes over interim responses', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n';
    upstream.script({ raw: true, body: [`${early}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`] });
    const response = await transport.open(call(), live());
    expect([response.status, (await response.read(10)).toString()]).toEqual([200, 'ok']);
  });

  it('uses a connection again, and a new one for calls at the same time', async () => {
    for (let round = 0; round < 3; round++) {
      const response = await transport.open(call({ stream: false }), live());
      await response.read(10_000);
    }
    expect(upstream.connectionsAccepted).toBe(1);
    const [first, second] = await Promise.all([transport.open(call(), live()), transport.open(call(), live())]);
    await Promise.all([text(first.chunks), text(second.chunks)]);
    expect(upstream.connectionsAccepted).toBe(2);
  });

  it('opens a new connection after the provider closed the idle one', async () => {
    await (await transport.open(call(), live())).read(10_000);
    upstream.dropConnections();
    while (upstream.connectionsOpen > 0) await turn();
    const response = await transport.open(call(), live());
    expect((await response.read(10_000)).length).toBeGreaterThan(0);
    expect(upstream.connectionsAccepted).toBe(2);
  });
});

describe('read', () => {
  const body = 'x'.repeat(1_000);
  it.each([
    ['at the limit', 1_000, true],
    ['one past it', 999, false],
    ['far past it', 1, false],
  ])('%s', async (_, bytesMax, passes) => {
    upstream.script({ body: [body] });
    const response = await transport.open(call({ stream: false }), live());
    if (passes) expect((await response.read(bytesMax)).toString()).toBe(body);
    else expect((await faultOf(response.read(bytesMax))).kind).toBe('malformed-reply');
  });

  it('closes the connection when the body is longer', async () => {
    upstream.script(endless('y'.repeat(10_000)));
    const response = await transport.open(call(), live());
    await faultOf(response.read(50_000));
    await withinOneSecond(upstream.requests[0]!.closed);
  });

  it('gives an empty body', async () => {
    upstream.script({ status: 500, body: [] });
    expect(await (await transport.open(call(), live())).read(0)).toHaveLength(0);
  });
});

describe('faults before the response', () => {
  const answers: [string, Answer, string][] = [
    ['a reset', resets(), 'unreachable'],
    ['a close', { raw: true, body: [] }, 'unreachable'],
    ['a reset in the status line', { raw: true, body: ['HTTP/1.1 2'] }, 'unreachable'],
    ['garbage', garbage(), 'malformed-reply'],
    [
      'headers without end',
      { raw: true, body: [`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(70_000)}`, HANG] },
      'malformed-reply',
    ],
  ];
  it.each(answers)('%s', async (_, answer, kind) => {
    upstream.script(answer);
    const fault = await faultOf(transport.open(call(), live()));
    expect(fault.kind).toBe(kind);
    expect(fault.cause).toMatchObject({ message: expect.any(String) });
    expect(fault.message).not.toMatch(/127\.0\.0\.1|\d{4,}/);
  });

  it('a port without a listener, and a name that does not exist', async () => {
    const unlistened = call();
    await upstream.close();
    expect((await faultOf(transport.open(unlistened, live()))).kind).toBe('unreachable');
    upstream = await startUpstream('anthropic');
    const nowhere = call({ url: 'http://no-such-host.invalid/v1/messages' });
    const fault = await faultOf(transport.open(nowhere, live()));
    expect(fault.kind).toBe('unreachable');
    expect(fault.message).not.toContain('no-such-host');
  });

  it.each(['ftp://example.com/x', 'http://[::1/x', 'nonsense/x'])('the address %s', async (url) => {
    expect((await faultOf(transport.open(call({ url }), live()))).kind).toBe('unreachable');
  });

  it('a TLS provider that speaks plain HTTP', async () => {
    const url = call().url.replace('http:', 'https:');
    expect((await faultOf(transport.open(call({ url }), live()))).kind).toBe('unreachable');
  });

  it.each([
    ['a line break', 'a\r\nx-evil: 1'],
    ['a character beyond latin1', 'π'],
    ['a zero byte', 'a\u0000'],
  ])('a header value with %s is refused, named by no value, and nothing is sent', async (_, value) => {
    const fault = await faultOf(transport.open(call({ headers: { 'anthropic-beta': value } }), live()));
    expect(fault.kind).toBe('rejected-request');
    expect(fault.message).not.toContain(value);
    expect(upstream.requests).toHaveLength(0);
  });

  it('a TLS handshake that never ends is a time-out after the call’s own limit', async () => {
    const server = await silentServer();
    const url = `https://127.0.0.1:${portOf(server)}/v1/messages`;
    const startedAt = performance.now();
    const fault = await faultOf(transport.open(call({ url, connectTimeoutMs: 50 }), live()));
    expect(fault.kind).toBe('timed-out');
    expect(performance.now() - startedAt).toBeLessThan(900);
    server.close();
  });

  it('does not repeat a call that failed on a kept connection', async () => {
    await (await transport.open(call(), live())).read(10_000);
    upstream.script(resets());
    await faultOf(transport.open(call(), live()));
    expect(upstream.requests).toHaveLength(2);
    upstream.script(json({ fine: true }));
    expect((await transport.open(call(), live())).status).toBe(200);
  });
});

describe('a large body that the provider does not take', () => {
  const parts = Array.from({ length: 300 }, () => Buffer.alloc(100_000, 'x'));
  const large = (server: Server): OutgoingCall =>
    call({ url: `http://127.0.0.1:${portOf(server)}/`, body: parts, stream: false });

  async function serverThat(answers: (socket: Socket) => void): Promise<Server> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.pause();
        answers(socket);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  it('an answer before the request was read is an answer', async () => {
    let accepted!: (socket: Socket) => void;
    const taken = new Promise<Socket>((resolve) => (accepted = resolve));
    const server = await serverThat((socket) => {
      socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 5\r\n\r\nlarge');
      accepted(socket);
    });
    const response = await transport.open(large(server), live());
    expect(response.status).toBe(413);
    expect((await response.read(1_000)).toString()).toBe('large');
    // The rest of the body is not read as part of another call.
    upstream.script(json({ fine: true }));
    expect((await transport.open(call(), live())).status).toBe(200);
    // A socket that stays paused would not notice that the other side has closed.
    (await taken).destroy();
    server.close();
  });

  it('a reset in the middle of it is a failure to reach the provider', async () => {
    const server = await serverThat((socket) => socket.resetAndDestroy());
    expect((await faultOf(transport.open(large(server), live()))).kind).toBe('unreachable');
    server.close();
  });

  it('an abort in the middle of it closes the connection', async () => {
    let accepted!: (socket: Socket) => void;
    const taken = new Promise<Socket>((resolve) => (accepted = resolve));
    const server = await serverThat(accepted);
    const leaving = new AbortController();
    const opening = transport.open(large(server), leaving.signal);
    const socket = await taken;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const reason = new Error('The caller left.');
    leaving.abort(reason);
    await expect(opening).rejects.toBe(reason);
    socket.resume();
    await withinOneSecond(closed);
    server.close();
  });
});

describe('that a request was sent', () => {
  it('is reported when it is written, before there is an answer', async () => {
    upstream.script(neverAnswers());
    const cancel = new AbortController();
    const sent = new Promise<void>((onSent) => {
      transport.open(call({ onSent }), cancel.signal).catch(() => undefined);
    });
    await withinOneSecond(sent);
    cancel.abort(new Error('left'));
  });

  it.each([
    ['in one piece', '{}'],
    ['in parts', [Buffer.from('{}')]],
  ])('is not reported without a connection, %s', async (_, body) => {
    const onSent = jest.fn();
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const connected = new Promise((resolve) => server.once('connection', resolve));
    const cancel = new AbortController();
    const { port } = server.address() as AddressInfo;
    // The port accepts connections but never answers the TLS handshake.
    const opened = transport.open(call({ url: `https://127.0.0.1:${port}/`, body, onSent }), cancel.signal);
    await connected;
    await turn();
    cancel.abort(new Error('left'));
    await expect(opened).rejects.toThrow('left');
    expect(onSent).not.toHaveBeenCalled();
    server.close();
  });

  it('is reported for a body in parts when its last part is taken, and not before', async () => {
    const onSent = jest.fn();
    const parts = Array.from({ length: 300 }, () => Buffer.alloc(100_000, 'x'));
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    const taken = new Promise<Socket>((resolve) => server.once('connection', resolve));
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const cancel = new AbortController();
    const opened = transport.open(call({ url: `http://127.0.0.1:${port}/`, body: parts, onSent }), cancel.signal);
    const socket = await taken;
    for (let count = 0; count < 50; count++) await turn();
    expect(onSent).not.toHaveBeenCalled();
    const sent = new Promise<void>((resolve) => onSent.mockImplementation(resolve));
    socket.resume();
    await sent;
    cancel.abort(new Error('left'));
    await expect(opened).rejects.toThrow('left');
    socket.destroy();
    server.close();
  });
});

describe('faults mid-stream', () => {
  const stream = 'data: 0123456789\n\n'.repeat(10);
  it.each([
    ['a reset', cutAfter(sse([stream]), 25)],
    [
      'a close before the announced length',
      { raw: true, body: ['HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort'] },
    ],
    [
      'a close between chunks',
      { raw: true, body: ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n'] },
    ],
    [
      'broken chunking',
      { raw: true, body: ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\nzz\r\n', HANG] },
    ],
  ] as [string, Answer][])('%s: what came is given first, then a malformed reply', async (_, answer) => {
    upstream.script(answer);
    const response = await transport.open(call(), live());
    let received = 0;
    const reading = (async () => {
      for await (const batch of response.chunks) for (const chunk of batch) received += chunk.length;
    })();
    expect((await faultOf(reading)).kind).toBe('malformed-reply');
    expect(received).toBeGreaterThan(0);
    expect((await faultOf(response.read(1_000))).kind).toBe('malformed-reply');
  });

  // undici 7.30 ends the process here when it was paused: a failed assertion in a socket event.
  it.each([
    ['reset', 'connection: close\r\ntransfer-encoding: chunked', true],
    ['closed', 'connection: close\r\ntransfer-encoding: chunked', false],
    ['reset', 'connection: close', true],
    ['closed', 'connection: close', false],
    ['reset', 'connection: keep-alive\r\ntransfer-encoding: chunked', true],
  ])('a connection is %s (%s) while the reader does not pull', async (_, headers, withReset) => {
    for (const bytes of [66_000, 70_000, 131_072, 140_000, 300_000]) {
      const chunked = headers.includes('chunked');
      const { server, accepted } = await oneShotServer((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`);
        const body = 'z'.repeat(bytes);
        socket.write(chunked ? `${bytes.toString(16)}\r\n${body}\r\n` : body);
      });
      const response = await transport.open(call({ url: `http://127.0.0.1:${portOf(server)}/` }), live());
      const socket = await accepted;
      const closed = new Promise((resolve) => socket.once('close', resolve));
      for (let count = 0; count < 20; count++) await turn();
      if (withReset) socket.resetAndDestroy();
      else socket.end();
      if (withReset) await closed;
      for (let count = 0; count < 20; count++) await turn();
      const outcome = await text(response.chunks).then(
        () => 'ended',
        (error: unknown) => (error as ProviderFault).kind,
      );
      expect(['ended', 'malformed-reply']).toContain(outcome);
      if (!withReset && !chunked) expect(outcome).toBe('ended');
      server.close();
    }
  });
});

describe('back-pressure', () => {
  const piece = 'x'.repeat(16_384);
  /** What a kernel buffers for an unread loopback connection; 4 MB were seen. */
  const KERNEL_BYTES_MAX = 8 * 1024 * 1024;
  /** What the gateway itself holds: the window, and the socket read that exceeded it. */
  const HELD_BYTES_MAX = 128 * 1024;
  const bytesOf = (chunks: readonly Uint8Array[]): number => chunks.reduce((sum, { length }) => sum + length, 0);

  /** Resolves when the upstream has written nothing more for many turns of the event loop. */
  async function standstill(): Promise<number> {
    const request = await upstream.request(0);
    for (let before = -1, quiet = 0; quiet < 200;) {
      await turn();
      quiet = request.bodyBytesWritten === before ? quiet + 1 : 0;
      before = request.bodyBytesWritten;
    }
    return request.bodyBytesWritten;
  }

  it('a reader that never pulls stops the provider', async () => {
    upstream.script(endless(piece));
    const leaving = new AbortController();
    const response = await transport.open(call(), leaving.signal);
    const written = await standstill();
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(KERNEL_BYTES_MAX);
    const { value } = await response.chunks[Symbol.asyncIterator]().next();
    expect(bytesOf(value ?? [])).toBeLessThanOrEqual(HELD_BYTES_MAX);
    leaving.abort();
    await withinOneSecond(upstream.requests[0]!.closed);
  });

  it('a reader that pulls again gets the provider going again, and every byte in order', async () => {
    const count = 400;
    const pieces = Array.from({ length: count }, (_, index) =>
      String(index).padStart(8, '0').padEnd(piece.length, '.'),
    );
    upstream.script(sse(pieces));
    const response = await transport.open(call(), live());
    const iterator = response.chunks[Symbol.asyncIterator]();
    let received = '';
    for (;;) {
      await standstill();
      const pulled = await iterator.next();
      if (pulled.done) break;
      received += Buffer.concat(pulled.value).toString('latin1');
      if (received.length > 20 * piece.length) break;
    }
    received += await text({ [Symbol.asyncIterator]: () => iterator });
    expect(received).toBe(pieces.join(''));
  });

  it('one pull never gives more than the window and one socket read', async () => {
    upstream.script(endless(piece));
    const response = await transport.open(call(), live());
    let largest = 0;
    let pulls = 0;
    for await (const batch of response.chunks) {
      largest = Math.max(largest, bytesOf(batch));
      await turn();
      if (++pulls === 100) break;
    }
    expect(largest).toBeLessThanOrEqual(HELD_BYTES_MAX);
  });

  it('an event without end becomes a fault at the reader of events, and closes the connection', async () => {
    upstream.script(endless('a'.repeat(65_536)));
    const response = await transport.open(call(), live());
    const reading = (async () => {
      for await (const _ of pump(response.chunks, new SseReader(1_000_000)));
    })();
    expect((await faultOf(reading)).kind).toBe('malformed-reply');
    await withinOneSecond(upstream.requests[0]!.closed);
    expect(upstream.requests[0]!.aborted).toBe(true);
  });
});

describe('an abort closes the connection and rejects with its reason', () => {
  const reason = new Error('gone');
  const controllerOf = (): { signal: AbortSignal; leave: () => void } => {
    const controller = new AbortController();
    return { signal: controller.signal, leave: () => controller.abort(reason) };
  };

  it('before the call', async () => {
    const { signal, leave } = controllerOf();
    leave();
    await expect(transport.open(call(), signal)).rejects.toBe(reason);
    expect(upstream.connectionsAccepted).toBe(0);
  });

  it('while connecting', async () => {
    const server = await silentServer();
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
    const { signal, leave } = controllerOf();
    const opening = transport.open(call({ url: `https://127.0.0.1:${portOf(server)}/` }), signal);
    const socket = await accepted;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    leave();
    await expect(opening).rejects.toBe(reason);
    await withinOneSecond(closed);
    server.close();
  });

  it.each([
    ['on a new connection', 0],
    ['on a kept connection', 1],
  ])('in the same turn, %s', async (_, callsBefore) => {
    for (let round = 0; round < callsBefore; round++) await (await transport.open(call(), live())).read(10_000);
    const { signal, leave } = controllerOf();
    const opening = transport.open(call(), signal);
    leave();
    await expect(opening).rejects.toBe(reason);
    while (upstream.connectionsOpen > 0) await turn();
    expect(upstream.requests).toHaveLength(callsBefore);
  });

  it('while waiting for the response', async () => {
    upstream.script(neverAnswers());
    const { signal, leave } = controllerOf();
    const opening = transport.open(call(), signal);
    const request = await upstream.request(0);
    leave();
    await expect(opening).rejects.toBe(reason);
    await withinOneSecond(request.closed);
  });

  it('while a pull waits', async () => {
    upstream.script(sse(['data: 1\n\n', HANG]));
    const { signal, leave } = controllerOf();
    const response = await transport.open(call(), signal);
    const iterator = response.chunks[Symbol.asyncIterator]();
    await iterator.next();
    const pull = iterator.next();
    leave();
    await expect(pull).rejects.toBe(reason);
    await withinOneSecond(upstream.requests[0]!.closed);
  });

  it('while no reader pulls and the provider is paused', async () => {
    upstream.script(endless('x'.repeat(65_536)));
    const { signal, leave } = controllerOf();
    const response = await transport.open(call(), signal);
    const iterator = response.chunks[Symbol.asyncIterator]();
    await iterator.next();
    leave();
    await withinOneSecond(upstream.requests[0]!.closed);
    await expect(iterator.next()).rejects.toBe(reason);
  });

  it('while a whole reply is read', async () => {
    upstream.script({ body: ['{"half":', HANG] });
    const { signal, leave } = controllerOf();
    const response = await transport.open(call({ stream: false }), signal);
    const reading = response.read(1_000);
    leave();
    await expect(reading).rejects.toBe(reason);
    await withinOneSecond(upstream.requests[0]!.closed);
  });

  it('after the provider has finished: the rest is not handed out, and the connection serves on', async () => {
    upstream.script(json({ whole: true }));
    const { signal, leave } = controllerOf();
    const response = await transport.open(call(), signal);
    await upstream.requests[0]!.closed;
    for (let count = 0; count < 20; count++) await turn();
    leave();
    await expect(response.chunks[Symbol.asyncIterator]().next()).rejects.toBe(reason);
    await (await transport.open(call(), live())).read(1_000);
    expect(upstream.connectionsAccepted).toBe(1);
  });

  it('a reader that leaves the loop early closes the connection', async () => {
    upstream.script(endless('data: x\n\n'));
    const response = await transport.open(call(), live());
    for await (const _ of response.chunks) break;
    await withinOneSecond(upstream.requests[0]!.closed);
  });

  it('leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    const response = await transport.open(call(), signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await text(response.chunks);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('the idle limit', () => {
  // Only the clocks of the code under test stand still: sockets continue.
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'Date'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('ends a stream that stays silent while a reader waits', async () => {
    upstream.script(sse(['data: 1\n\n', HANG]));
    const response = await transport.open(call({ idleTimeoutMs: HOUR_MS }), live());
    const iterator = response.chunks[Symbol.asyncIterator]();
    await iterator.next();
    const pull = iterator.next();
    jest.advanceTimersByTime(HOUR_MS);
    expect((await faultOf(pull)).kind).toBe('timed-out');
    await upstream.requests[0]!.closed;
  });

  it('does not count the time that the reader holds the stream back', async () => {
    let goOn = (): void => undefined;
    const wait = new Promise<void>((resolve) => (goOn = resolve));
    upstream.script(sse(['data: 1\n\n', wait, 'data: 2\n\n']));
    const response = await transport.open(call({ idleTimeoutMs: HOUR_MS }), live());
    const iterator = response.chunks[Symbol.asyncIterator]();
    await iterator.next();
    jest.advanceTimersByTime(2 * HOUR_MS);
    const pull = iterator.next();
    jest.advanceTimersByTime(HOUR_MS - 1);
    goOn();
    const { value } = await pull;
    expect(Buffer.concat([...(value ?? [])]).toString()).toBe('data: 2\n\n');
  });

  it('does not apply to whole replies, nor to the wait for the response', async () => {
    let goOn = (): void => undefined;
    const wait = new Promise<void>((resolve) => (goOn = resolve));
    upstream.script({ body: ['{', wait, '}'] });
    const opening = transport.open(call({ stream: false, idleTimeoutMs: 1 }), live());
    await upstream.request(0);
    jest.advanceTimersByTime(HOUR_MS);
    const reading = (await opening).read(10);
    jest.advanceTimersByTime(HOUR_MS);
    goOn();
    expect((await reading).toString()).toBe('{}');
  });
});

describe('bounds', () => {
  it('an origin takes no more calls than it may have connections, and takes them again afterwards', () => {
    const pool = new OriginPool('http://127.0.0.1:1', {}, 2);
    const first = pool.acquire();
    pool.acquire();
    expect(() => pool.acquire()).toThrow(expect.objectContaining({ kind: 'unavailable' }));
    pool.release(first, true);
    expect(pool.acquire()).toBe(first);
    pool.close();
  });

  it('a provider that hangs does not hold up another', async () => {
    upstream.script(neverAnswers());
    const other = await startUpstream('anthropic');
    other.strict = false;
    const leaving = Array.from({ length: 50 }, () => new AbortController());
    const hanging = leaving.map(({ signal }) => transport.open(call(), signal).catch(() => undefined));
    await upstream.request(49);
    const response = await transport.open(call({ url: `${other.url}/v1/messages` }), live());
    expect(response.status).toBe(200);
    await response.read(10_000);
    for (const controller of leaving) controller.abort();
    await Promise.all(hanging);
    await other.close();
  });
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Accepts connections and never sends a byte. */
async function silentServer(): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Writes the first bytes of each connection without a server library. */
async function oneShotServer(answer: (socket: Socket) => void): Promise<{ server: Server; accepted: Promise<Socket> }> {
  let resolveAccepted: (socket: Socket) => void;
  const accepted = new Promise<Socket>((resolve) => (resolveAccepted = resolve));
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      answer(socket);
      resolveAccepted(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, accepted };
}
