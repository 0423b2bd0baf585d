/**
 * Requests with an `Idempotency-Key` run once, and streams can be resumed: replays, joins, slow readers, clients that
 * leave, other bodies, refusals, zero data retention, replies too large, expiry, what is stored. The real application
 * over HTTP, on both databases, with upstreams that the test holds back.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { MINUTE_MS } from '../../src/core/time.js';
import { KeptReplies } from '../../src/kept-replies/kept-replies.service.js';
import { hashName, type ReplyClaim } from '../../src/kept-replies/reply-claim.js';
import { ExpiringRows } from '../../src/shared/database/expiring-rows.js';
import { AheadClock } from '../support/ahead-clock.js';
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { HANG, json, sse } from '../support/upstream-answers.js';
import { after, ask, askStream, delta, END, gate, MessagesBench, OPEN } from './messages-bench.js';

const REPLAY = 'x-fairlead-idempotent-replay';
const CLOSED_KEY = '00000000-0000-4000-8000-000000000001';
const STREAMS = [
  ['/messages', askStream('test/native')],
  ['/chat/completions', { model: 'test/native', messages: [{ role: 'user', content: 'Hi' }], stream: true }],
  ['/responses', { model: 'test/native', input: 'Hi', stream: true }],
] as const;
const SECRET = 'a sentence that must not be stored in clear';

describeOnEachDatabase('requests that run once', (database) => {
  let bench: MessagesBench;
  let names = 0;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const newName = (): string => `name ${++names} ~`;
  const named = (name: string, more: object = {}): { headers: Record<string, string> } => ({
    headers: { 'idempotency-key': name, ...more },
  });
  const calls = (): number => bench.anthropic.requests.length;
  const send = (body: object, name: string, more: object = {}) =>
    bench.gateway.messages(body, { ...named(name), ...more });
  const usedCredits = async (): Promise<number> => {
    await new LedgerReader(bench.gateway).rest();
    return (await bench.gateway.manage('GET', '/credits')).data.total_usage;
  };
  const expectOneCharge = async (before: number, cost: number): Promise<void> => {
    expect(cost).toBeGreaterThan(0);
    expect((await usedCredits()) - before).toBeCloseTo(cost, 10);
  };
  const query = (sql: string, values: unknown[] = []): Promise<JsonBody[]> =>
    bench.gateway.gateway.app.get(DataSource, { strict: false }).query(sql, values);
  const store = (): KeptReplies => bench.gateway.gateway.app.get(KeptReplies, { strict: false });

  it('gives a whole reply again, byte by byte, for one call and one charge', async () => {
    const before = calls();
    const name = newName();
    const credits = await usedCredits();
    bench.anthropic.script(anthropicText('Once.'));
    const first = await send(ask('test/native'), name);
    expect([first.status, first.headers.get(REPLAY)]).toEqual([200, null]);
    const text = await first.text();
    // White space between values is no difference.
    const spaced = JSON.stringify(ask('test/native'), null, 3);
    for (const body of [ask('test/native'), spaced]) {
      const again = await bench.gateway.messages(body, named(name));
      expect([again.status, again.headers.get(REPLAY)]).toEqual([200, 'true']);
      expect(again.headers.get('x-generation-id')).toBe(first.headers.get('x-generation-id'));
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
      expect(await again.text()).toBe(text);
    }
    expect(calls()).toBe(before + 1);
    await expectOneCharge(credits, JSON.parse(text).usage.cost);
  });

  it('gives a stream again, byte by byte', async () => {
    const before = calls();
    const name = newName();
    bench.anthropic.script(anthropicText('Streamed once.'));
    const first = await (await send(askStream('test/native'), name)).text();
    const again = await send(askStream('test/native'), name);
    expect([again.status, again.headers.get(REPLAY)]).toEqual([200, 'true']);
    expect(again.headers.get('content-type')).toContain('text/event-stream');
    expect(await again.text()).toBe(first);
    expect(calls()).toBe(before + 1);
  });

  it.each([
    ['/chat/completions', { model: 'test/native', messages: [{ role: 'user', content: 'Hi' }] }],
    ['/responses', { model: 'test/native', input: 'Hi' }],
  ])('does so at %s, whole and streamed', async (path, body) => {
    for (const stream of [false, true]) {
      const before = calls();
      const name = newName();
      bench.anthropic.script(anthropicText('Any format.'));
      const post = (headers: Record<string, string> = { 'idempotency-key': name }) =>
        bench.gateway.request(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ ...body, stream }),
        });
      const first = await (await post()).text();
      const again = await post();
      expect([again.headers.get(REPLAY), await again.text()]).toEqual(['true', first]);
      expect(calls()).toBe(before + 1);
      // The events are those of a stream that has no name.
      const eventsOf = (text: string): unknown => text.match(/^event: .*$|"sequence_number":\d+|"object":"[^"]*"/gm);
      expect(eventsOf(first)).toEqual(eventsOf(await (await post({})).text()));
      expect(eventsOf(await (await post({ 'x-fairlead-resumable': 'true' })).text())).toEqual(eventsOf(first));
    }
  });

  it('joins a running stream: what was sent so far, then live, while slow readers slow nobody', async () => {
    const before = calls();
    const name = newName();
    const middle = gate();
    const waits = gate();
    bench.anthropic.script(() => sse([OPEN, delta('one '), middle.opened, delta('two '), waits.opened, delta('three'), END])); // oxfmt-ignore
    const first = await send(askStream('test/native'), name);
    const joined = await Promise.all([1, 2, 3].map(() => send(askStream('test/native'), name)));
    expect(joined.map(({ headers }) => headers.get(REPLAY))).toEqual(['true', 'true', 'true']);
    // One that reads nothing until all is over.
    const [slow, ...quick] = joined as [Response, Response, Response];
    const readers = quick.map((response) => response.body!.getReader());
    const read = async (reader: ReadableStreamDefaultReader<Uint8Array>, until: string): Promise<void> => {
      for (let text = ''; !text.includes(until);) text += new TextDecoder().decode((await reader.read()).value);
    };
    await Promise.all(readers.map((reader) => read(reader, 'one ')));
    middle.open();
    await Promise.all(readers.map((reader) => read(reader, 'two ')));
    waits.open();
    await Promise.all(readers.map((reader) => read(reader, 'message_stop')));
    const whole = await first.text();
    expect(await slow.text()).toBe(whole);
    expect(calls()).toBe(before + 1);
  });

  it('answers all of fifty equal requests at once from one call', async () => {
    const before = calls();
    const name = newName();
    bench.anthropic.script(anthropicText('For all.'));
    const credits = await usedCredits();
    const all = await Promise.all(Array.from({ length: 50 }, () => send(ask('test/native'), name)));
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
    const texts = new Set(await Promise.all(all.map((response) => response.text())));
    expect(texts.size).toBe(1);
    await expectOneCharge(credits, JSON.parse([...texts][0]!).usage.cost);
    expect(all.filter(({ headers }) => headers.get(REPLAY) === null)).toHaveLength(1);
    expect(calls()).toBe(before + 1);
  });

  it('continues without its client, which gets the whole reply when it repeats the request', async () => {
    for (const body of [ask('test/native'), askStream('test/native')]) {
      const before = calls();
      const name = newName();
      const held = gate();
      bench.anthropic.script(after(held.opened, anthropicText('Not lost.')));
      const client = await bench.open(body, [['idempotency-key', name]]);
      await bench.anthropic.request(before);
      client.destroy();
      held.open();
      const again = await send(body, name);
      expect([again.status, again.headers.get(REPLAY)]).toEqual([200, 'true']);
      expect(await again.text()).toMatch(/Not lost\.|message_stop/);
      expect(calls()).toBe(before + 1);
    }
  });

  it('refuses another body or route under the same name, and tells what the first one cost', async () => {
    const name = newName();
    bench.anthropic.script(anthropicText('First.'));
    const first = await send(ask('test/native'), name);
    await first.text();
    await new LedgerReader(bench.gateway).rest();
    const other = await send(ask('test/native', { max_tokens: 101 }), name);
    expect(other.status).toBe(409);
    const { error } = (await other.json()) as JsonBody;
    expect(error).toMatchObject({
      error_type: 'idempotency_conflict',
      message: expect.stringContaining('idempotency-key: was used for another request'),
      metadata: { generation_id: first.headers.get('x-generation-id'), charged: expect.any(Number) },
    });
    expect(error.metadata.charged).toBeGreaterThan(0);
    expect(Math.abs(Date.now() - Date.parse(error.metadata.first_used_at))).toBeLessThan(60_000);
    const route = await bench.gateway.request('/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': name },
      body: JSON.stringify(ask('test/native')),
    });
    expect([route.status, (await route.json() as JsonBody).error.metadata.error_type]).toEqual([409, 'idempotency_conflict']); // oxfmt-ignore
    // Names belong to their key.
    const { key } = await bench.gateway.newKey();
    const mine = await send(ask('test/native', { max_tokens: 101 }), name, { key });
    expect([mine.status, mine.headers.get(REPLAY)]).toEqual([200, null]);
    await mine.text();
  });

  it('runs again what was refused before a provider answered', async () => {
    const name = newName();
    bench.anthropic.script(() => json(anthropicError('overloaded_error', 'Later.'), 529));
    expect((await send(ask('test/native'), name)).status).toBe(529);
    bench.anthropic.script(anthropicText('Now.'));
    const again = await send(ask('test/native'), name);
    expect([again.status, again.headers.get(REPLAY)]).toEqual([200, null]);
    await again.text();
  });

  it('gives a stream that failed after its first event again as it was', async () => {
    const before = calls();
    const name = newName();
    const failure = `event: error\ndata: ${JSON.stringify(anthropicError('overloaded_error', 'Broken.'))}\n\n`;
    bench.anthropic.script(() => sse([OPEN, delta('half'), failure]));
    const first = await (await send(askStream('test/native'), name)).text();
    expect(first).toContain('"type":"error"');
    expect(await (await send(askStream('test/native'), name)).text()).toBe(first);
    expect(calls()).toBe(before + 1);
  });

  it.each(['', ' ', 'x'.repeat(256), 'x'.repeat(257), 'tab\there', 'über', '\x80'])(
    'refuses the name %j on every route',
    async (name) => {
      const before = calls();
      const routes = [
        ...STREAMS,
        ['/embeddings', { model: 'sandbox/embeddings', input: 'Hi' }],
        ['/rerank', { model: 'sandbox/rerank', query: 'Hi', documents: ['Hi'] }],
      ] as const;
      for (const [path, body] of routes) {
        const client = await bench.open(body, [['idempotency-key', name]], `/api/v1${path}`);
        const { status, json: reply } = await client.response();
        expect([status, reply.error.message]).toEqual([
          400,
          'idempotency-key: must be 1 to 255 printable ASCII characters',
        ]);
      }
      expect(calls()).toBe(before);
    },
  );

  it.each(['\x00', '\x01', '\x1f', '\x7f', 'line\nbreak', 'carriage\rreturn'])(
    'refuses the name %j as no header',
    async (name) => {
      const before = calls();
      const client = await bench.open(ask('test/native'), [['idempotency-key', name]]);
      expect((await client.response()).status).toBe(400);
      expect(calls()).toBe(before);
    },
  );

  it.each(['x', 'y'.repeat(255), ' !~'])('takes the name %j', async (name) => {
    bench.anthropic.script(anthropicText('Named.'));
    const before = calls();
    for (const replay of [undefined, 'true']) {
      const client = await bench.open(ask('test/native'), [['idempotency-key', name]]);
      const { status, headers } = await client.response();
      expect([status, headers[REPLAY]]).toEqual([200, replay]);
    }
    expect(calls()).toBe(before + 1);
  });

  it('keeps nothing under zero data retention: a repetition is a 409', async () => {
    const { key } = await bench.gateway.guardedKey({ enforce_zdr: true });
    bench.anthropic.script(anthropicText(SECRET));
    const zdr = { provider: { zdr: true } };
    for (const [body, by] of [
      [ask('test/forgetful'), key],
      [askStream('test/forgetful'), key],
      [ask('test/forgetful', zdr), API_KEY],
    ] as const) {
      // oxfmt-ignore
      const name = newName();
      const first = await send(body, name, { key: by });
      expect([first.status, /message_stop|in clear/.test(await first.text())]).toEqual([200, true]);
      const again = await send(body, name, { key: by });
      expect([again.status, ((await again.json()) as JsonBody).error.error_type]).toEqual([
        409,
        'idempotency_not_kept',
      ]);
      const id = first.headers.get('x-generation-id');
      const rows = await query('SELECT state, head, parts FROM kept_replies WHERE generation_id = $1', [id]);
      expect(rows).toEqual([{ state: 'dropped', head: null, parts: 0 }]);
    }
  });

  it('does not keep a reply above 1 MiB, which reaches its own client whole', async () => {
    for (const stream of [false, true]) {
      const name = newName();
      const big = 'b'.repeat(40_000);
      const pieces = Array.from({ length: 40 }, () => delta(big));
      bench.anthropic.script(stream ? sse([OPEN, ...pieces, END]) : anthropicText(big.repeat(40)));
      const body = ask('test/native', { stream, max_tokens: 1_000 });
      const first = await send(body, name);
      expect((await first.text()).length).toBeGreaterThan(1_600_000);
      const again = await send(body, name);
      expect([again.status, ((await again.json()) as JsonBody).error.error_type]).toEqual([
        409,
        'idempotency_not_kept',
      ]);
      const rows = await query(`SELECT count(*)::int AS parts FROM kept_reply_parts p JOIN kept_replies r ON r.id = p.reply_id WHERE r.generation_id = $1`, [first.headers.get('x-generation-id')]); // oxfmt-ignore
      expect(rows).toEqual([{ parts: 0 }]);
    }
  });

  it('stores nothing in clear', async () => {
    const name = newName();
    bench.anthropic.script(anthropicText(SECRET));
    await (await send(ask('test/native'), name)).text();
    const rows = await query(
      `SELECT encode(coalesce(r.head, ''), 'escape') AS head, encode(p.sealed, 'escape') AS part, r.name, r.fingerprint
       FROM kept_replies r JOIN kept_reply_parts p ON p.reply_id = r.id`,
    );
    expect(rows.length).toBeGreaterThan(0);
    const stored = JSON.stringify(rows);
    for (const text of [SECRET, name, 'message_start', 'x-generation-id', API_KEY]) expect(stored).not.toContain(text);
  });

  it.each([
    ['whole', ask],
    ['streamed', askStream],
  ])('refuses to repeat a %s reply that cannot be opened any more', async (_, bodyOf) => {
    await query(
      `INSERT INTO data_keys (id, purpose, number, key_id, wrapped_key, created_at)
       VALUES ($1, 'reply-seal', 0, 'lost', '\\x00', now()) ON CONFLICT (id) DO NOTHING`,
      [CLOSED_KEY],
    );
    for (const changed of [
      `UPDATE kept_reply_parts p SET sealed = set_byte(sealed, 40, get_byte(sealed, 40) # 1) FROM kept_replies r`,
      `UPDATE kept_reply_parts p SET sealed = substring(sealed FROM 1 FOR 5) FROM kept_replies r`,
      // The data keys were removed, or cannot be decrypted any more.
      `UPDATE kept_reply_parts p SET data_key = '00000000-0000-4000-8000-000000000000' FROM kept_replies r`,
      `UPDATE kept_replies r SET data_key = '00000000-0000-4000-8000-000000000000' FROM kept_reply_parts p`,
      `UPDATE kept_reply_parts p SET data_key = '${CLOSED_KEY}' FROM kept_replies r`,
      `UPDATE kept_replies r SET data_key = '${CLOSED_KEY}' FROM kept_reply_parts p`,
      `DELETE FROM kept_reply_parts p USING kept_replies r`,
    ]) {
      const before = calls();
      const name = newName();
      bench.anthropic.script(anthropicText('Changed later.'));
      const first = await send(bodyOf('test/native'), name);
      await first.text();
      await query(`${changed} WHERE r.id = p.reply_id AND r.generation_id = $1`, [
        first.headers.get('x-generation-id'),
      ]);
      const again = await send(bodyOf('test/native'), name);
      expect([again.status, ((await again.json()) as JsonBody).error.error_type]).toEqual([
        409,
        'idempotency_not_kept',
      ]);
      expect(again.headers.get(REPLAY)).toBeNull();
      expect(calls()).toBe(before + 1);
    }
  });

  it('takes a body in another order of keys for another one', async () => {
    const name = newName();
    bench.anthropic.script(anthropicText('In order.'));
    const { model, ...rest } = ask('test/native') as Record<string, unknown>;
    await (await send({ model, ...rest }, name)).text();
    const other = await send({ ...rest, model }, name);
    expect([other.status, ((await other.json()) as JsonBody).error.error_type]).toEqual([409, 'idempotency_conflict']);
  });

  it('claims ten thousand names at once, refuses what takes too long, and keeps nothing of it', async () => {
    const kept = store();
    const { accountId, keyHash } = { accountId: '0198c0de-0000-7000-8000-00000000000f', keyHash: 'f'.repeat(64) };
    const caller = { accountId, keyHash } as ReplyClaim['caller'];
    const claims = Array.from({ length: 10_000 }, (_, at): ReplyClaim => {
      const name = hashName(`flood ${at}`);
      return { caller, kind: 'idempotency', name, fingerprint: name, mayKeep: true, resumable: false, ttlMs: 60_000 };
    });
    const rows = async () => (await query(`SELECT count(*)::int AS n FROM kept_replies WHERE key_hash = $1`, [keyHash]))[0]!.n; // oxfmt-ignore
    const claimed = await Promise.allSettled(claims.map((claim) => kept.claim(claim)));
    for (const result of claimed)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ kind: 'service-unavailable' });
    // Refused claims are removed once the database has answered.
    const begun = claimed.flatMap((result) => (result.status === 'fulfilled' ? [result.value.log] : []));
    await Promise.all(begun.map((log) => kept.withdraw(log, { kind: 'withdrawn' })));
    while ((await rows()) > 0) await sleep(50);
    const again = await kept.claim(claims[0]!);
    expect(again.isFirst).toBe(true);
    await kept.withdraw(again.log, { kind: 'withdrawn' });
  }, 240_000);

  it('forgets a name after its time, and removes what is past it', async () => {
    const before = calls();
    const name = newName();
    bench.anthropic.script(anthropicText('Again.'));
    await (await send(ask('test/native'), name)).text();
    await query(
      `UPDATE kept_replies SET expires_at = now() - interval '1 s' WHERE expires_at < now() + interval '25 h'`,
    );
    await bench.gateway.gateway.app.get(ExpiringRows).clearOnce();
    expect(await query('SELECT id FROM kept_replies')).toEqual([]);
    expect(await query('SELECT number FROM kept_reply_parts')).toEqual([]);
    const again = await send(ask('test/native'), name);
    expect(again.headers.get(REPLAY)).toBeNull();
    await again.text();
    expect(calls()).toBe(before + 2);
  });

  describe('streams that can be resumed', () => {
    const RESUMABLE = { 'x-fairlead-resumable': 'true' };
    const resume = (id: string, last?: number | string, key = API_KEY) =>
      bench.gateway.request(`/generation/stream?id=${id}`, {
        key,
        headers: last === undefined ? {} : { 'last-event-id': String(last) },
      });
    const begin = (more: object = {}) =>
      bench.gateway.messages(askStream('test/native'), { headers: { ...RESUMABLE, ...more } });
    const idsOf = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

    it.each(STREAMS)('number their events from 1, and can be resumed after any of them: %s', async (path, body) => {
      bench.anthropic.script(() => sse([OPEN, delta('one'), delta('two'), delta('three'), END]));
      const first = await bench.gateway.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...RESUMABLE },
        body: JSON.stringify(body),
      });
      const id = first.headers.get('x-generation-id')!;
      const text = await first.text();
      const ids = idsOf(text);
      expect(ids).toEqual(ids.map((_, index) => index + 1));
      expect(ids.length).toBeGreaterThan(5);
      expect(await (await resume(id)).text()).toBe(text);
      for (const last of [0, ...ids.slice(0, -1)]) {
        const rest = await (await resume(id, last)).text();
        expect(rest).toBe(text.slice(text.indexOf(`id: ${last + 1}\n`)));
      }
      for (const last of [ids.at(-1)!, 999_999]) {
        const nothing = await resume(id, last);
        expect([nothing.status, await nothing.text()]).toEqual([204, '']);
      }
    });

    it('have ids that can be stored', async () => {
      expect((await resume('%00')).status).toBe(400);
    });

    it('continue without a client, and are joined while they run', async () => {
      const held = gate();
      bench.anthropic.script(() => sse([OPEN, delta('one'), held.opened, delta('two'), END]));
      const first = await begin();
      const id = first.headers.get('x-generation-id')!;
      const reader = first.body!.getReader();
      let text = '';
      while (!text.includes('one')) text += new TextDecoder().decode((await reader.read()).value);
      await reader.cancel();
      // The headers come with the first event that the client has not read.
      const last = idsOf(text).at(-1)!;
      const rest = await resume(id, last - 1);
      held.open();
      const restText = await rest.text();
      expect(idsOf(restText)[0]).toBe(last);
      expect(restText).toContain('two');
      expect(restText).toContain('message_stop');
    });

    it('are those of the same key, begun so, for five minutes after their end', async () => {
      bench.anthropic.script(anthropicText('Mine.'));
      const first = await begin();
      const id = first.headers.get('x-generation-id')!;
      await first.text();
      const { key } = await bench.gateway.newKey();
      const plain = await bench.gateway.messages(askStream('test/native'));
      await plain.text();
      for (const [of, by] of [
        [id, key],
        ['gen-1-x', API_KEY],
        [plain.headers.get('x-generation-id')!, API_KEY],
      ] as const)
        // oxfmt-ignore
        expect((await resume(of, undefined, by)).status).toBe(404);
      for (const last of ['x', '-1', '1.5', '1e3', '0x1', '1 2', '1,2', '1'.repeat(10), '\u00b2']) {
        const refused = await resume(id, last);
        const { error } = (await refused.json()) as JsonBody;
        expect([refused.status, error.message]).toEqual([400, expect.stringContaining('last-event-id: must be the id of an event')]); // oxfmt-ignore
      }
      await store().runOnce();
      const age = (seconds: number) =>
        query(`UPDATE kept_replies SET ended_at = ended_at - $2 * interval '1 s' WHERE generation_id = $1`, [id, seconds]); // oxfmt-ignore
      await age(285);
      expect((await resume(id)).status).toBe(200);
      await age(16);
      expect((await resume(id)).status).toBe(404);
    });

    it.each(STREAMS)(
      'are found by their own key alone while they run, and wait for events that are to come: %s',
      async (path, body) => {
        const held = gate();
        bench.anthropic.script(() => sse([OPEN, delta('one'), held.opened, delta('two'), END]));
        const first = await bench.gateway.request(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...RESUMABLE },
          body: JSON.stringify(body),
        });
        const id = first.headers.get('x-generation-id')!;
        const { key } = await bench.gateway.newKey();
        for (const last of [undefined, 1, 999_999]) expect((await resume(id, last, key)).status).toBe(404);
        expect((await resume(id, 'x')).status).toBe(400);
        const reader = first.body!.getReader();
        const decoder = new TextDecoder();
        let text = '';
        while (!text.includes('one')) text += decoder.decode((await reader.read()).value);
        // The next event is one that its reader has already; of the last ones nothing is left.
        const next = idsOf(text).at(-1)! + 1;
        const [rest, nothing] = [resume(id, next), resume(id, 999_999)];
        held.open();
        for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read())
          text += decoder.decode(value);
        expect(await (await rest).text()).toBe(text.slice(text.indexOf(`id: ${next + 1}\n`)));
        expect(await (await nothing).text()).toBe('');
      },
    );

    it('can have a name as well', async () => {
      const name = newName();
      bench.anthropic.script(anthropicText('Both.'));
      const first = await begin({ 'idempotency-key': name });
      const text = await first.text();
      expect(await (await begin({ 'idempotency-key': name })).text()).toBe(text);
      expect(await (await resume(first.headers.get('x-generation-id')!, 2)).text()).toBe(text.slice(text.indexOf('id: 3\n'))); // oxfmt-ignore
    });
  });
});

describeOnEachDatabase('streams that ended minutes ago', (database) => {
  const clock = new AheadClock();
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database, { clock });
  }, 240_000);
  afterAll(() => bench?.close());

  it.each(STREAMS)('can be resumed for five minutes, however long they ran: %s', async (path, body) => {
    const held = gate();
    bench.anthropic.script(() => sse([OPEN, delta('one'), held.opened, delta('two'), END]));
    const first = await bench.gateway.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-fairlead-resumable': 'true' },
      body: JSON.stringify(body),
    });
    const id = first.headers.get('x-generation-id')!;
    const outcomeOf = async (last?: number): Promise<unknown[]> => {
      const headers = last === undefined ? undefined : { 'last-event-id': String(last) };
      const response = await bench.gateway.request(`/generation/stream?id=${id}`, headers && { headers });
      const text = await response.text();
      return response.status === 200 ? [200, text] : [response.status];
    };
    clock.aheadMs += 6 * MINUTE_MS;
    const joined = outcomeOf();
    held.open();
    const text = await first.text();
    expect(await joined).toEqual([200, text]);
    const last = Number([...text.matchAll(/^id: (\d+)$/gm)].at(-1)![1]);

    clock.aheadMs += 5 * MINUTE_MS - 20_000;
    expect(await outcomeOf()).toEqual([200, text]);
    expect(await outcomeOf(last - 1)).toEqual([200, text.slice(text.indexOf(`id: ${last}\n`))]);
    expect([await outcomeOf(last), await outcomeOf(last + 1)]).toEqual([[204], [204]]);
    clock.aheadMs += 25_000;
    for (const after of [undefined, 1, last - 1, last, last + 1]) expect(await outcomeOf(after)).toEqual([404]);
  });
});

describeOnEachDatabase('a request that takes too long', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database, { variables: { FAIRLEAD_TIMEOUTS: 'total=1500ms' } });
  }, 240_000);
  afterAll(() => bench?.close());

  it.each([[{}], [{ 'idempotency-key': 'too long' }]])('gets its error with %j', async (headers) => {
    bench.anthropic.script(() => sse([HANG]));
    const reply = await bench.gateway.messages(ask('test/native'), { headers });
    expect([reply.status, ((await reply.json()) as JsonBody).error.message]).toEqual([504, expect.any(String)]);
  });

  it('does not run again once its provider was paid: a repetition learns the charge', async () => {
    bench.anthropic.script(() => sse([OPEN, delta('half of the answer'), HANG]));
    const before = bench.anthropic.requests.length;
    const send = (): Promise<Response> => bench.gateway.messages(ask('test/native'), { headers: { 'idempotency-key': 'paid' } }); // oxfmt-ignore
    const first = await send();
    expect(first.status).toBe(504);
    await new LedgerReader(bench.gateway).rest();
    const again = await send();
    const { error } = (await again.json()) as JsonBody;
    expect([again.status, error.metadata.error_type]).toEqual([409, 'idempotency_not_kept']);
    expect(error.metadata.generation_id).toBe(first.headers.get('x-generation-id'));
    expect(error.metadata.charged).toBeGreaterThan(0);
    expect(bench.anthropic.requests.length).toBe(before + 1);
  });
});
