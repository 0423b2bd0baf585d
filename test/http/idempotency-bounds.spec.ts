/**
 * The bounds of kept replies: their number for each key, their time, their bytes in memory and each. Slow readers
 * beside fast ones, below and above the limit of one reply. Rows that the test inserts or ages, and the real
 * application over HTTP with upstreams that the test holds back, on both databases.
 */
import type { Server } from 'node:http';
import { DataSource } from 'typeorm';
import { KeptReplies } from '../../src/kept-replies/kept-replies.service.js';
import { hashName } from '../../src/kept-replies/reply-claim.js';
import { ExpiringRows } from '../../src/shared/database/expiring-rows.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEachDatabase } from '../support/database.js';
import { RawClient } from '../support/raw-client.js';
import type { JsonBody } from '../support/recorded-request.js';
import { HANG, sse } from '../support/upstream-answers.js';
import { ask, askStream, delta, END, gate, MessagesBench, OPEN } from './messages-bench.js';

const REPLAY = 'x-fairlead-idempotent-replay';
const MIB = 1024 * 1024;
const OWNER = '0198c0de-0000-7000-8000-00000000000e';
const INPUT = [{ role: 'user', content: 'Hello' }];
const STREAMS = [
  ['/messages', askStream('test/native')],
  ['/chat/completions', { model: 'test/native', messages: INPUT, stream: true }],
  ['/responses', { model: 'test/native', input: 'Hello', stream: true }],
] as const;

describeOnEachDatabase('bounds of kept replies', (database) => {
  let bench: MessagesBench;
  let names = 0;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const newName = (): string => `bound ${++names}`;
  const calls = (): number => bench.anthropic.requests.length;
  const clear = (): Promise<void> => bench.gateway.gateway.app.get(ExpiringRows, { strict: false }).clearOnce();
  const query = (sql: string, values: unknown[] = []): Promise<JsonBody[]> =>
    bench.gateway.gateway.app.get(DataSource, { strict: false }).query(sql, values);
  const send = (body: object, name: string, more: object = {}) =>
    bench.gateway.messages(body, { headers: { 'idempotency-key': name }, ...more });
  const post = (path: string, body: object, headers: Record<string, string>) =>
    bench.gateway.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const errorTypeOf = async (response: Response): Promise<string> => {
    const { error } = (await response.json()) as JsonBody;
    return error.error_type ?? error.metadata.error_type;
  };
  /** Sends and reads. @returns status and replay header of the reply, or the type of its error */
  const outcomeOf = async (response: Response): Promise<unknown[]> => {
    if (response.status !== 200) return [response.status, await errorTypeOf(response)];
    await response.text();
    return [200, response.headers.get(REPLAY)];
  };
  /** The row of a generation, with the number of its stored parts. */
  const rowOf = async (id: string | null): Promise<JsonBody> => {
    const [row] = await query(
      `SELECT state, head IS NULL AS headless, (SELECT count(*)::int FROM kept_reply_parts p WHERE p.reply_id = r.id) AS stored
       FROM kept_replies r WHERE generation_id = $1`,
      [id],
    );
    return row;
  };

  /** Inserts younger rows of a key with a part each, numbered from and to. */
  const insert = async (hash: string, from: number, to: number): Promise<void> => {
    const id = `('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;
    await query(
      `INSERT INTO kept_replies (id, account_id, key_hash, kind, name, fingerprint, state, resumable, owner, leased_until, parts, created_at, ended_at, expires_at)
       SELECT ${id}, $1, $2, 'idempotency', n::text, '', 'kept', false, $1, now(), 1, now(), now(), now() + interval '1 d'
       FROM generate_series($3::int, $4::int) n`,
      [OWNER, hash, from, to],
    );
    await query(
      `INSERT INTO kept_reply_parts (reply_id, number, data_key, sealed)
       SELECT ${id}, 0, $1, '\\x00' FROM generate_series($2::int, $3::int) n`,
      [OWNER, from, to],
    );
  };
  const countsOf = async (hash: string): Promise<JsonBody> =>
    (
      await query(
        `SELECT count(*)::int AS rows, count(*) FILTER (WHERE state = 'kept')::int AS kept,
           (SELECT count(*)::int FROM kept_reply_parts p JOIN kept_replies k ON k.id = p.reply_id WHERE k.key_hash = $1) AS parts
         FROM kept_replies WHERE key_hash = $1`,
        [hash],
      )
    )[0];

  it('keeps 10,000 replies of a key, and only the names of older ones', async () => {
    const { key, hash } = await bench.gateway.newKey();
    const oldest = newName();
    bench.anthropic.script(anthropicText('One of many.'));
    const sendNamed = (name: string): Promise<Response> => send(ask('test/native'), name, { key });
    const first = await sendNamed(oldest);
    await first.text();
    await insert(hash, 1, 9_998);
    await (await sendNamed(newName())).text();
    await clear();
    expect(await countsOf(hash)).toEqual({ rows: 10_000, kept: 10_000, parts: 10_000 });
    expect(await outcomeOf(await sendNamed(oldest))).toEqual([200, 'true']);

    await (await sendNamed(newName())).text();
    const before = calls();
    await clear();
    expect(await countsOf(hash)).toEqual({ rows: 10_001, kept: 10_000, parts: 10_000 });
    const dropped = { state: 'dropped', headless: true, stored: 0 };
    expect(await rowOf(first.headers.get('x-generation-id'))).toEqual(dropped);
    expect(await outcomeOf(await sendNamed(oldest))).toEqual([409, 'idempotency_not_kept']);
    expect(calls()).toBe(before);
    await query('TRUNCATE kept_replies CASCADE');
  });

  it('counts the replies of the response cache apart: they displace none of requests that run once', async () => {
    const { key, hash } = await bench.gateway.newKey();
    const oldest = newName();
    bench.anthropic.script(anthropicText('One of many.'));
    const sendNamed = (name: string): Promise<Response> => send(ask('test/native'), name, { key });
    await (await sendNamed(oldest)).text();
    await insert(hash, 1, 10_000);
    await query(`UPDATE kept_replies SET kind = 'cache' WHERE key_hash = $1 AND account_id = $2`, [hash, OWNER]);
    await (await sendNamed(newName())).text();
    await clear();
    expect(await countsOf(hash)).toMatchObject({ rows: 10_002, kept: 10_002 });
    expect(await outcomeOf(await sendNamed(oldest))).toEqual([200, 'true']);
    await query('TRUNCATE kept_replies CASCADE');
  });

  it('keeps a reply for 24 hours, and clears it with its parts', async () => {
    const before = calls();
    const age = (id: string | null, minutes: number): Promise<unknown> =>
      query(
        `UPDATE kept_replies SET created_at = created_at - $2 * interval '1 min', ended_at = ended_at - $2 * interval '1 min',
           expires_at = expires_at - $2 * interval '1 min' WHERE generation_id = $1`,
        [id, minutes],
      );
    for (const [index, body] of [ask('test/native'), askStream('test/native')].entries()) {
      const [found, cleared] = [newName(), newName()];
      bench.anthropic.script(anthropicText('For a day.'));
      const ids: (string | null)[] = [];
      for (const name of [found, cleared]) {
        const response = await send(body, name);
        await response.text();
        ids.push(response.headers.get('x-generation-id'));
      }
      for (const id of ids) await age(id, 23 * 60 + 59);
      await clear();
      for (const name of [found, cleared]) expect(await outcomeOf(await send(body, name))).toEqual([200, 'true']);
      expect(calls()).toBe(before + 3 * index + 2);

      // Two minutes later it is not found, be it cleared or not.
      const [id, idOfCleared] = ids as [string, string];
      await age(id, 2);
      expect(await outcomeOf(await send(body, found))).toEqual([200, null]);
      expect(calls()).toBe(before + 3 * index + 3);
      expect(await rowOf(id)).toBeUndefined();
      await age(idOfCleared, 2);
      expect((await rowOf(idOfCleared)).stored).toBeGreaterThan(0);
      const count = async (): Promise<number> => (await query('SELECT count(*)::int AS parts FROM kept_reply_parts'))[0].parts; // oxfmt-ignore
      const { stored } = await rowOf(idOfCleared);
      const parts = await count();
      await clear();
      expect(await rowOf(idOfCleared)).toBeUndefined();
      expect(await count()).toBe(parts - stored);
    }
  });

  it('keeps no further reply while open ones fill 256 MiB', async () => {
    const kept = bench.gateway.gateway.app.get(KeptReplies, { strict: false });
    // A reply that is not kept, and its reader, who reads nothing: all of it stays in memory.
    const caller = { accountId: OWNER, keyHash: 'e'.repeat(64) } as Parameters<KeptReplies['claim']>[0]['caller'];
    const name = hashName(newName());
    const claim = { caller, kind: 'idempotency', name, fingerprint: name, mayKeep: false, resumable: false, ttlMs: 60_000 } as const; // oxfmt-ignore
    const { log } = await kept.claim(claim);
    const reader = log.reader()!;
    const piece = Buffer.alloc(MIB);
    for (let count = 0; count < 255; count++) log.append(piece);
    log.append(piece.subarray(1));
    bench.anthropic.script(anthropicText('Beside it.'));
    /** @returns what a request and its repetition get */
    const twice = async (body: object): Promise<unknown[]> => {
      const mine = newName();
      return [await outcomeOf(await send(body, mine)), await outcomeOf(await send(body, mine))];
    };
    const bodies = [ask('test/native'), askStream('test/native')];
    for (const body of bodies) expect(await twice(body)).toEqual([[200, null], [200, 'true']]); // oxfmt-ignore
    log.append(piece.subarray(0, 1));
    for (const body of bodies) expect(await twice(body)).toEqual([[200, null], [409, 'idempotency_not_kept']]); // oxfmt-ignore
    await reader.return();
    for (const body of bodies) expect(await twice(body)).toEqual([[200, null], [200, 'true']]); // oxfmt-ignore
    await kept.withdraw(log, { kind: 'withdrawn' });
  });

  it('a joiner that reads nothing delays neither the first client nor another joiner, and gets the same later', async () => {
    const before = calls();
    const name = newName();
    const piece = (at: number): string => `${at}:${'x'.repeat(40_000)} `;
    const gates = Array.from({ length: 20 }, gate);
    bench.anthropic.script(() => sse([OPEN, ...gates.flatMap(({ opened }, at) => [opened, delta(piece(at))]), END]));
    const body = askStream('test/native', { max_tokens: 1_000 });
    const headers: [string, string][] = [['idempotency-key', name]];
    const first = await bench.open(body, headers);
    await bench.anthropic.request(before);
    const [slow, quick] = await Promise.all([bench.open(body, headers), bench.open(body, headers)]);
    slow.pause();
    for (const [at, { open }] of gates.entries()) {
      open();
      // Both have each piece before there is the next.
      await Promise.all([first, quick].map((client) => client.until(`${at}:`)));
    }
    const [whole, same] = await Promise.all([first.response(), quick.response()]);
    expect(slow.segments).toEqual([]);
    slow.resume();
    const late = await slow.response();
    expect([whole.headers[REPLAY], same.headers[REPLAY], late.headers[REPLAY]]).toEqual([undefined, 'true', 'true']);
    expect(whole.body.length).toBeGreaterThan(800_000);
    expect(same.body.equals(whole.body)).toBe(true);
    expect(late.body.equals(whole.body)).toBe(true);
    expect(calls()).toBe(before + 1);
  });

  it.each(STREAMS)('above 1 MiB a joiner that has fallen behind is told so in its stream: %s', async (path, body) => {
    const before = calls();
    const name = newName();
    const [joined, middle] = [gate(), gate()];
    const server: Server = bench.gateway.gateway.app.getHttpServer();
    // More than is kept, and than all buffers between both take.
    const pieces = Array.from({ length: 40 }, () => delta('y'.repeat(100_000)));
    bench.anthropic.script(() => sse([OPEN, delta('begun'), joined.opened, ...pieces, delta('nearly over'), middle.opened, END])); // oxfmt-ignore
    const headers: [string, string][] = [['idempotency-key', name], ['x-fairlead-resumable', 'true']]; // oxfmt-ignore
    const first = await bench.open(body, headers, `/api/v1${path}`);
    await first.until('begun');
    const slow = await bench.open(body, headers, `/api/v1${path}`, () => RawClient.connectLocally(server));
    await slow.until('begun');
    slow.pause();
    joined.open();
    await first.until('nearly over');
    const { 'x-generation-id': id } = (await first.head()).headers;
    // No client can join or resume it now.
    const resumed = await bench.gateway.request(`/generation/stream?id=${id}`, { headers: { 'last-event-id': '2' } });
    for (const response of [await post(path, body, Object.fromEntries(headers)), resumed])
      expect(await outcomeOf(response)).toEqual([409, 'idempotency_not_kept']);
    slow.resume();
    const late = (await slow.response()).body.toString();
    expect(late).toContain('The rest of this reply is not kept: connection error.');
    const ids = [...late.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
    expect(ids).toEqual(ids.map((_, at) => at + 1));
    const numbers = [...late.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number));
    expect(numbers).toEqual(numbers.map((_, at) => at));
    expect(late.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(ids.length).toBeLessThan(40);
    middle.open();
    const whole = (await first.response()).body.toString();
    expect(whole).not.toContain('connection error');
    expect(await outcomeOf(await post(path, body, Object.fromEntries(headers)))).toEqual([409, 'idempotency_not_kept']);
    expect(calls()).toBe(before + 1);
  });

  it.each(STREAMS)(
    'ends the call of a reply that grows above 1 MiB when its client has left: %s',
    async (path, body) => {
      const before = calls();
      const name = newName();
      const left = gate();
      const pieces = Array.from({ length: 8 }, () => delta('z'.repeat(200_000)));
      bench.anthropic.script(() => sse([OPEN, delta('begun'), left.opened, ...pieces, HANG]));
      const client = await bench.open(body, [['idempotency-key', name]], `/api/v1${path}`);
      await client.until('begun');
      client.destroy();
      await client.closed;
      left.open();
      const call = await bench.anthropic.request(before);
      await call.closed;
      expect(call.aborted).toBe(true);
      expect(await outcomeOf(await post(path, body, { 'idempotency-key': name }))).toEqual([
        409,
        'idempotency_not_kept',
      ]);
      expect(calls()).toBe(before + 1);
    },
  );
});
