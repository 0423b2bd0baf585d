/**
 * Checks that the bodies of requests in flight have one common bound, that received bytes count and announced ones do
 * not, that no caller locks out others, and that the bytes are released however a request ends. The real application
 * has a small limit; the upstreams answer on a signal, and the clients stop, trickle and leave.
 */
import { BytesInFlight, type HeldBytes } from '../../src/shared/queues/bytes-in-flight.js';
import { catalogOf, MANAGEMENT_KEY, startGateway, type NewKey, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { exchange, RawClient } from '../support/raw-client.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const KIB = 1024;
const MIB = 1024 * KIB;

describeOnEmbedded('bodies in flight', (database) => {
  let upstream: Upstream;
  let gateway: TestGateway;
  let bytes: BytesInFlight;
  let keys: NewKey[];
  let clients: RawClient[];
  let filled: HeldBytes[];

  const ask = (length: number, stream = false) => ({
    model: 'test/native',
    max_tokens: 10,
    stream,
    messages: [{ role: 'user', content: 'x'.repeat(length) }],
  });
  const head = (key: string, length: number | 'chunked'): string =>
    `POST /api/v1/messages HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
    (length === 'chunked' ? 'transfer-encoding: chunked\r\n\r\n' : `content-length: ${length}\r\n\r\n`);

  async function connect(): Promise<RawClient> {
    const client = await RawClient.connect(gateway.origin);
    clients.push(client);
    return client;
  }

  /** Begins a body and sends only this part of it. */
  async function begin(key: string, length: number | 'chunked', body: string | Buffer = ''): Promise<RawClient> {
    const client = await connect();
    client.write(Buffer.concat([Buffer.from(head(key, length)), Buffer.from(body)]));
    return client;
  }

  /** Polls for a state that the gateway does not report by an event. */
  async function until(holds: () => boolean): Promise<void> {
    const began = performance.now();
    while (!holds()) {
      if (performance.now() - began > 20_000) throw new Error(`Not in time: ${bytes.held} bytes are held`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Takes all that a key may hold, until the test is over. */
  function fill(key: string): void {
    const held = bytes.open(key);
    filled.push(held);
    for (const piece of [64 * KIB, KIB, 1]) while (held.take(piece)) continue;
  }

  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    gateway = await startGateway(database, {
      catalog: catalogOf({
        id: 'test/native',
        at: [{ url: upstream.url, dialect: 'anthropic-messages', aborts: { whole: 'stops' } }],
      }),
      variables: {
        FAIRLEAD_BODY_MAX: '2MiB',
        FAIRLEAD_BODIES_IN_FLIGHT: '4MiB',
        // Hundreds are left here.
        FAIRLEAD_FLOOD: 'wasted=10000/60s',
      },
    });
    bytes = gateway.gateway.app.get(BytesInFlight);
    keys = [await gateway.newKey(), await gateway.newKey()];
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });
  beforeEach(() => {
    clients = [];
    filled = [];
    upstream.script(anthropicText('done'));
  });
  afterEach(async () => {
    for (const held of filled) held.release();
    for (const client of clients) client.destroy();
    await until(() => bytes.held === 0);
  });

  it('holds nothing for announced bytes: hundreds of sockets without a byte, or with one, lock no caller out', async () => {
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 100; count++) {
      await begin(keys[0]!.key, 2 * MIB);
      await begin(keys[0]!.key, 2 * MIB, '{');
      await begin(keys[0]!.key, 'chunked');
    }
    await until(() => bytes.held === 100);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * MIB);
    for (const { key } of keys) expect((await gateway.messages(ask(MIB), { key })).status).toBe(200);
    const managed = await gateway.request('/keys', { key: MANAGEMENT_KEY });
    expect(managed.status).toBe(200);
  }, 240_000);

  it('takes a body of thousands of chunks of a byte, refuses one of tens of thousands with the reason, and ends it', async () => {
    const chunks = (text: string): string => [...text].map((letter) => `1\r\n${letter}\r\n`).join('');
    const body = (length: number): string => JSON.stringify(ask(length));
    const taken = await begin(keys[0]!.key, 'chunked', `${chunks(body(2_000))}0\r\n\r\n`);
    expect((await taken.response()).status).toBe(200);
    const refused = await begin(keys[0]!.key, 'chunked', chunks(body(40_000)));
    const { status, headers, json } = await refused.response();
    expect([status, headers['connection']]).toEqual([400, 'close']);
    expect(json.error.message).toBe('body: comes in too many small pieces; send larger chunks');
    expect(bytes.held).toBe(0);
  });

  it('limits a key to as much as it leaves to others: 503, Retry-After and the end of the connection past it', async () => {
    let answer!: () => void;
    const released = new Promise<void>((resolve) => (answer = resolve));
    upstream.script(async (request, index) => {
      await released;
      return anthropicText('done')(request, index);
    });
    const [first, second] = keys;
    const held: Promise<Response>[] = [];
    for (let count = 0; count < 3; count++) {
      const arrival = upstream.request();
      held.push(gateway.messages(ask(600 * KIB), { key: first!.key }));
      await arrival;
    }
    expect(bytes.held).toBeGreaterThan(1_800 * KIB);

    const refused = await gateway.messages(ask(600 * KIB), { key: first!.key });
    expect(refused.status).toBe(503);
    expect([refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual(['1', 'close']);
    expect(await refused.json()).toMatchObject({ error: { type: 'overloaded_error', code: 503 } });

    // Small bodies continue, and later requests are accepted as well.
    for (const [key, length] of [
      [first!.key, 60 * KIB],
      [second!.key, 600 * KIB],
    ] as const) {
      const arrival = upstream.request();
      held.push(gateway.messages(ask(length), { key }));
      await arrival;
    }
    const text = await gateway.metrics();
    expect(Number(/^fairlead_bytes_in_flight (\d+)$/m.exec(text)?.[1])).toBe(bytes.held);

    answer();
    for (const response of await Promise.all(held)) expect(response.status).toBe(200);
    expect((await gateway.messages(ask(600 * KIB), { key: first!.key })).status).toBe(200);
  });

  it('never keeps management waiting, and reads no more than 1 MiB of it', async () => {
    // Each key leaves a share for the next, so many keys are needed to reach the limit.
    for (let position = 0; position < 30; position++) fill(`key ${position}`);
    expect(bytes.held).toBe(4 * MIB - 1);
    const send = (name: string) =>
      gateway.request('/keys', {
        method: 'POST',
        key: MANAGEMENT_KEY,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      });
    expect((await send('a new one')).status).toBe(201);
    const long = await send('x'.repeat(1_000 * KIB));
    expect([long.status, await long.json()]).toEqual([
      400,
      { error: expect.objectContaining({ message: expect.stringMatching(/^name: /) }) },
    ]);
    const longer = await send('x'.repeat(MIB));
    expect([longer.status, await longer.json()]).toEqual([
      413,
      { error: expect.objectContaining({ message: `body: must be at most ${MIB} bytes` }) },
    ]);
  });

  it.each([2 * MIB, 'chunked'] as const)(
    'returns the refusal to a client that is still sending (%s)',
    async (length) => {
      const [, second] = keys;
      fill('one key');
      fill('another');
      const piece = Buffer.alloc(64 * KIB, 32);
      const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
      const client = await begin(second!.key, length);
      // Like many clients, it sends everything before it reads.
      client.pause();
      for (let sent = 0; sent < 31; sent++) {
        client.write(length === 'chunked' ? chunk : piece);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      client.resume();
      const { status, headers, json } = await client.response();
      expect([status, headers['retry-after'], headers['connection']]).toEqual([503, '1', 'close']);
      expect(json).toMatchObject({ error: { code: 503 } });
      // The bytes are released before the client has disconnected.
      expect(bytes.held).toBe(3 * MIB);
      client.write(length === 'chunked' ? Buffer.concat([chunk, Buffer.from('0\r\n\r\n')]) : piece);
      await client.closed;
    },
  );

  it('drops no more than so many pieces of a refused body', async () => {
    const client = await begin('nobody', 'chunked');
    expect((await client.response()).status).toBe(401);
    for (let time = 0; time < 10; time++) client.write('1\r\nx\r\n'.repeat(2_500));
    const began = performance.now();
    await client.closed;
    expect(performance.now() - began).toBeLessThan(4_000);
  });

  it('keeps the connection of a client refused with a small body on its way', async () => {
    const client = await begin('nobody', 10);
    expect((await client.head()).status).toBe(401);
    client.write('0123456789');
    client.write(`GET /health/live HTTP/1.1\r\nhost: g\r\n\r\n`);
    await client.until('"status":"ok"');
    expect(client.text).not.toMatch(/connection: close/i);
  });

  it('disconnects a refused client that sends no more', async () => {
    const client = await begin('nobody', MIB, 'x');
    expect((await client.response()).headers['connection']).toBe('close');
    await client.closed;
  }, 240_000);

  it('answers a GET whose body stalls, and closes its connection, and no other', async () => {
    const key = keys[0]!.key;
    const get = `GET /api/v1/key HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${key}\r\n`;
    const late = await connect();
    late.write(`${get}content-length: 10\r\n\r\n`);
    expect((await late.response()).status).toBe(200);
    late.write('0123456789');
    const lines = ['content-length: 100000000\r\n\r\nx', 'transfer-encoding: chunked\r\n\r\n1\r\nx\r\n'];
    const ended = lines.map(async (rest) => {
      const client = await connect();
      client.write(get + rest);
      expect((await client.response()).status).toBe(200);
      await client.closed;
    });
    await Promise.all(ended);
    late.write('GET /health/live HTTP/1.1\r\nhost: g\r\n\r\n');
    await late.until('"status":"ok"');
  }, 240_000);

  it('closes the connection of a refused client that waits for "100 Continue"', async () => {
    const client = await connect();
    client.write(head('nobody', 10).replace('\r\n\r\n', '\r\nexpect: 100-continue\r\n\r\n'));
    expect((await client.response()).headers['connection']).toBe('close');
  });

  it('ends a body within 5 s when its key is revoked, disabled or has expired, and no other', async () => {
    const manage = (hash: string, method: string, body?: object) =>
      gateway.request(`/keys/${hash}`, {
        method,
        key: MANAGEMENT_KEY,
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
    const revocations: ((hash: string) => Promise<Response>)[] = [
      (hash) => manage(hash, 'DELETE'),
      (hash) => manage(hash, 'PATCH', { disabled: true }),
    ];
    const other = await begin(keys[0]!.key, 2_000, '{');
    for (const revoke of revocations) {
      const { key, hash } = await gateway.newKey();
      const client = await begin(key, MIB, 'x'.repeat(100 * KIB));
      await until(() => bytes.held > 100 * KIB);
      const began = performance.now();
      expect((await revoke(hash)).status).toBe(200);
      const { status, json } = await client.response();
      expect([status, json.error.type]).toEqual([401, 'authentication_error']);
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(bytes.held).toBe(1);
    }
    const body = JSON.stringify(ask(1));
    other.write(body.slice(1).padEnd(1_999));
    expect((await other.response()).status).toBe(200);
  }, 240_000);

  it('releases the bytes when a caller leaves, at every stage', async () => {
    upstream.script(() => new Promise(() => undefined));
    for (let round = 0; round < 3; round++) {
      const arrival = upstream.request();
      const leaving = new AbortController();
      const left = gateway.messages(ask(600 * KIB, round === 1), { signal: leaving.signal });
      const request = await arrival;
      leaving.abort();
      await expect(left).rejects.toThrow();
      await request.closed;
    }
    await until(() => bytes.held === 0);
    for (const leave of ['destroy', 'reset'] as const) {
      const client = await begin(keys[0]!.key, MIB, 'x'.repeat(300 * KIB));
      await until(() => bytes.held === 300 * KIB);
      client[leave]();
      await until(() => bytes.held === 0);
      // A request that waits behind another on its connection never learns that the connection has closed.
      const body = JSON.stringify(ask(100 * KIB));
      const arrival = upstream.request();
      const pipelined = await begin(keys[0]!.key, body.length, body);
      const first = await arrival;
      const behind = upstream.request();
      pipelined.write(head(keys[0]!.key, body.length) + body);
      const second = await behind;
      pipelined.write(head(keys[0]!.key, MIB) + body);
      await until(() => bytes.held === 3 * body.length);
      pipelined[leave]();
      await Promise.all([first.closed, second.closed]);
      await until(() => bytes.held === 0);
    }
    upstream.script(anthropicText('still here'));
    expect((await gateway.messages(ask(600 * KIB))).status).toBe(200);
  });

  it('answers pipelined requests, and gives back what each held', async () => {
    const body = JSON.stringify(ask(80 * KIB));
    const client = await begin(keys[0]!.key, body.length, body);
    for (let count = 0; count < 15; count++) client.write(head(keys[0]!.key, body.length) + body);
    while (client.text.split('HTTP/1.1 200').length < 17) await client.news();
    await until(() => bytes.held === 0);
  });

  it('counts nothing for refused bodies', async () => {
    const { status } = await exchange(gateway.origin, {
      path: '/api/v1/messages',
      headers: [
        ['authorization', `Bearer ${keys[0]!.key}`],
        ['content-type', 'application/json'],
      ],
      body: '{"model":',
    });
    expect(status).toBe(400);
    await until(() => bytes.held === 0);
  });
});
