/**
 * Zero data retention and kept replies: nothing is kept where the account, the workspace or a guardrail requires it,
 * whole or streamed, resumable or not; what was kept before it was required is not replayed, and is removed, also from
 * Redis. The real application over HTTP, on both databases.
 */
import { DataSource } from 'typeorm';
import type { Caller } from '../../src/core/caller.js';
import { ExpiringRows } from '../../src/shared/database/expiring-rows.js';
import { KeptReplies } from '../../src/kept-replies/kept-replies.service.js';
import { hashName } from '../../src/kept-replies/reply-claim.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { redisAddress } from '../support/redis.js';
import { HANG, sse } from '../support/upstream-answers.js';
import { askStream, delta, END, gate, MessagesBench, OPEN } from './messages-bench.js';

const REPLAY = 'x-fairlead-idempotent-replay';
const RESUMABLE = { 'x-fairlead-resumable': 'true' };
const MODEL = 'test/forgetful';
const NOT_KEPT = [409, 'idempotency_not_kept'];
const STREAMS = [
  ['/messages', askStream(MODEL)],
  ['/chat/completions', { model: MODEL, messages: [{ role: 'user', content: 'Hello' }], stream: true }],
  ['/responses', { model: MODEL, input: 'Hello', stream: true }],
] as const;
const WHOLE = STREAMS.map(([path, body]) => [path, { ...body, stream: false }] as const);

describeOnEachDatabase('replies that must not be retained', (database) => {
  let bench: MessagesBench;
  let names = 0;
  beforeAll(async () => {
    bench = await MessagesBench.start(database, {
      variables: redisAddress === null ? {} : { REDIS_URL: redisAddress },
    });
  }, 240_000);
  afterAll(() => bench?.close());

  const newName = (): string => `not retained ${++names}`;
  const calls = (): number => bench.anthropic.requests.length;
  const query = (sql: string, values: unknown[] = []): Promise<JsonBody[]> =>
    bench.gateway.gateway.app.get(DataSource, { strict: false }).query(sql, values);
  const post = (path: string, body: object, headers: Record<string, string>, key: string) =>
    bench.gateway.request(path, {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const resume = (id: string, key: string, last?: number) =>
    bench.gateway.request(`/generation/stream?id=${id}`, {
      key,
      headers: last === undefined ? {} : { 'last-event-id': String(last) },
    });
  const outcomeOf = async (response: Response): Promise<unknown[]> => {
    if (response.status === 200) {
      await response.text();
      return [200, response.headers.get(REPLAY)];
    }
    const { error } = (await response.json()) as JsonBody;
    return [response.status, error.error_type ?? error.metadata.error_type];
  };
  /** What is stored of a generation. */
  const storedOf = async (id: string): Promise<JsonBody> =>
    (
      await query(
        `SELECT state, head IS NULL AS headless, (SELECT count(*)::int FROM kept_reply_parts p WHERE p.reply_id = r.id) AS parts
         FROM kept_replies r WHERE generation_id = $1`,
        [id],
      )
    )[0];
  const NOTHING = { state: 'dropped', headless: true, parts: 0 };
  const idOf = (response: Response): string => response.headers.get('x-generation-id')!;

  /** Switches zero data retention on, or off, for a key. */
  type Switch = (isOn: boolean) => Promise<unknown>;
  const LEVELS: readonly [string, () => Promise<{ readonly key: string; readonly enforce: Switch }>][] = [
    [
      'the account',
      async () => ({
        ...(await bench.gateway.newKey()),
        enforce: (isOn) => bench.gateway.manage('PATCH', '/account/preferences', { enforce_zdr: isOn }),
      }),
    ],
    [
      'the workspace',
      async () => {
        const { data } = await bench.gateway.manage('POST', '/workspaces', { name: 'A', slug: `of-${++names}` });
        return {
          ...(await bench.gateway.newKey({ workspace_id: data.id })),
          enforce: (isOn) => bench.gateway.manage('PATCH', `/workspaces/${data.id}`, { enforce_zdr: isOn }),
        };
      },
    ],
    [
      'a guardrail',
      async () => {
        const { key, guardrailId } = await bench.gateway.guardedKey({ enforce_zdr: false });
        return {
          key,
          enforce: (isOn) => bench.gateway.manage('PATCH', `/guardrails/${guardrailId}`, { enforce_zdr: isOn }),
        };
      },
    ],
  ];

  describe.each(LEVELS)('by %s', (_, prepare) => {
    let key: string;
    let enforce: Switch;
    beforeEach(async () => {
      ({ key, enforce } = await prepare());
      bench.anthropic.script(anthropicText('Not to be retained.'));
    });
    afterEach(() => enforce(false));

    it.each([...WHOLE, ...STREAMS])('are not kept: %s %j', async (path, body) => {
      const before = calls();
      await enforce(true);
      const headers = { 'idempotency-key': newName() };
      const first = await post(path, body, headers, key);
      expect([first.status, await first.text()]).toEqual([200, expect.stringMatching(/retained|completed|\[DONE\]/)]);
      expect(await outcomeOf(await post(path, body, headers, key))).toEqual(NOT_KEPT);
      expect(await storedOf(idOf(first))).toEqual(NOTHING);
      // Nor later.
      await enforce(false);
      expect(await outcomeOf(await post(path, body, headers, key))).toEqual(NOT_KEPT);
      expect(calls()).toBe(before + 1);
    });

    it('are removed when a request is repeated, and are not replayed', async () => {
      for (const [path, body] of [...WHOLE, ...STREAMS]) {
        const before = calls();
        const headers = { 'idempotency-key': newName() };
        const first = await post(path, body, headers, key);
        await first.text();
        expect(await outcomeOf(await post(path, body, headers, key))).toEqual([200, 'true']);
        await enforce(true);
        expect(await outcomeOf(await post(path, body, headers, key))).toEqual(NOT_KEPT);
        expect(await storedOf(idOf(first))).toEqual(NOTHING);
        await enforce(false);
        expect(await outcomeOf(await post(path, body, headers, key))).toEqual(NOT_KEPT);
        expect(calls()).toBe(before + 1);
      }
    });

    it('are removed when a stream is resumed, and are not replayed', async () => {
      for (const [path, body] of STREAMS) {
        const first = await post(path, body, RESUMABLE, key);
        await first.text();
        const id = idOf(first);
        expect(await outcomeOf(await resume(id, key))).toEqual([200, null]);
        await enforce(true);
        for (const last of [undefined, 1, 999_999]) expect(await outcomeOf(await resume(id, key, last))).toEqual(NOT_KEPT); // oxfmt-ignore
        expect(await storedOf(id)).toEqual(NOTHING);
        await enforce(false);
        expect(await outcomeOf(await resume(id, key))).toEqual(NOT_KEPT);
      }
    });
  });

  it('are removed by a job when nobody requests them, from the response cache too, and those of others stay', async () => {
    const { key, hash, guardrailId } = await bench.gateway.guardedKey({ enforce_zdr: false });
    const { key: other, hash: otherHash } = await bench.gateway.newKey();
    const enforce = (isOn: boolean) => bench.gateway.manage('PATCH', `/guardrails/${guardrailId}`, { enforce_zdr: isOn }); // oxfmt-ignore
    bench.anthropic.script(anthropicText('Stored.'));
    const [named, cached] = [{ 'idempotency-key': newName() }, { 'x-fairlead-cache': 'true' }];
    const sent = [named, cached, RESUMABLE].flatMap((headers) => [key, other].map((by) => ({ headers, by })));
    for (const { headers, by } of sent) await (await post('/messages', askStream(MODEL), headers, by)).text();
    const countsOf = async (of: string): Promise<JsonBody> =>
      (
        await query(
          `SELECT count(*) FILTER (WHERE state = 'kept' AND head IS NOT NULL)::int AS kept,
             (SELECT count(*)::int FROM kept_reply_parts p JOIN kept_replies k ON k.id = p.reply_id WHERE k.key_hash = $1) AS parts
           FROM kept_replies WHERE key_hash = $1`,
          [of],
        )
      )[0];
    const job = bench.gateway.gateway.app.get(ExpiringRows, { strict: false });
    await job.clearOnce();
    const all = await countsOf(hash);
    expect([all.kept, all.parts >= 3]).toEqual([3, true]);
    const others = await countsOf(otherHash);
    await enforce(true);
    await job.clearOnce();
    expect(await countsOf(hash)).toEqual({ kept: 0, parts: 0 });
    expect(await countsOf(otherHash)).toEqual(others);
    // Once it is allowed again nothing of it is there.
    await enforce(false);
    expect(await outcomeOf(await post('/messages', askStream(MODEL), named, key))).toEqual(NOT_KEPT);
    const again = await post('/messages', askStream(MODEL), cached, key);
    expect(again.headers.get('x-fairlead-cache-status')).toBe('MISS');
    await again.text();
    const hit = await post('/messages', askStream(MODEL), cached, other);
    expect(hit.headers.get('x-fairlead-cache-status')).toBe('HIT');
    await hit.text();
  });

  it('requests under way continue for their client, and no other client joins them', async () => {
    const { key, guardrailId } = await bench.gateway.guardedKey({ enforce_zdr: false });
    const enforce = (isOn: boolean) => bench.gateway.manage('PATCH', `/guardrails/${guardrailId}`, { enforce_zdr: isOn }); // oxfmt-ignore
    for (const join of ['repeated', 'resumed']) {
      const before = calls();
      const held = gate();
      bench.anthropic.script(() => sse([OPEN, delta('one '), held.opened, delta('two'), END]));
      const headers = { 'idempotency-key': newName(), ...RESUMABLE };
      const first = await post('/messages', askStream(MODEL), headers, key);
      const id = idOf(first);
      while ((await storedOf(id))?.parts !== 1) await bench.gateway.gateway.app.get(KeptReplies, { strict: false }).runOnce(); // oxfmt-ignore
      await enforce(true);
      const second = await (join === 'repeated' ? post('/messages', askStream(MODEL), headers, key) : resume(id, key));
      expect(await outcomeOf(second)).toEqual(NOT_KEPT);
      expect(await storedOf(id)).toEqual(NOTHING);
      held.open();
      expect(await first.text()).toMatch(/one [^]*two[^]*message_stop/);
      expect(await outcomeOf(await post('/messages', askStream(MODEL), headers, key))).toEqual(NOT_KEPT);
      expect(await storedOf(id)).toEqual(NOTHING);
      expect(calls()).toBe(before + 1);
      await enforce(false);
    }
  });

  it('replies under way are not stored at their end, nor kept by the job, although nobody repeats them', async () => {
    const { key, guardrailId } = await bench.gateway.guardedKey({ enforce_zdr: false });
    const enforce = (isOn: boolean) => bench.gateway.manage('PATCH', `/guardrails/${guardrailId}`, { enforce_zdr: isOn }); // oxfmt-ignore
    const job = bench.gateway.gateway.app.get(ExpiringRows, { strict: false });
    for (const clears of [false, true]) {
      for (const headers of [{ 'idempotency-key': newName() }, { 'x-fairlead-cache': 'true' }, RESUMABLE]) {
        const held = gate();
        bench.anthropic.script(() => sse([OPEN, delta('not to be retained '), held.opened, delta('two'), END]));
        const running = await post('/messages', askStream(MODEL), headers, key);
        const rows = () =>
          query(
            `SELECT r.state, (SELECT count(*)::int FROM kept_reply_parts p WHERE p.reply_id = r.id) AS parts
             FROM kept_replies r WHERE r.generation_id = $1`,
            [idOf(running)],
          );
        await enforce(true);
        if (clears) {
          await job.clearOnce();
          expect((await rows()).map(({ parts }) => parts).filter((parts) => parts > 0)).toEqual([]);
        }
        held.open();
        expect(await running.text()).toContain('message_stop');
        expect((await rows()).filter(({ state, parts }) => state !== 'dropped' || parts > 0)).toEqual([]);
        await enforce(false);
      }
    }
  });

  it('streams under way are not resumed, be they still in memory as a whole', async () => {
    const kept = bench.gateway.gateway.app.get(KeptReplies, { strict: false });
    const caller = { accountId: '0198c0de-0000-7000-8000-00000000000d', keyHash: 'd'.repeat(64) } as Caller;
    const name = hashName(newName());
    const claim = { caller, kind: 'stream', name, fingerprint: name, mayKeep: true, resumable: true, ttlMs: 60_000 } as const; // oxfmt-ignore
    const { log } = await kept.claim(claim);
    const reader = log.reader()!;
    log.generationId = 'gen-1-of-this-test';
    log.open({ isStream: true, warnings: [] });
    log.append('data: {}\n\n');
    const find = (mayKeep: boolean) => kept.findStream(caller, log.generationId!, { sinceEndMs: 60_000, mayKeep });
    expect(await find(true)).toBe(log);
    for (const mayKeep of [false, true]) {
      await expect(find(mayKeep)).rejects.toMatchObject({ detail: { errorType: 'idempotency_not_kept' } });
    }
    expect((await reader.next()).value?.toString()).toBe('data: {}\n\n');
    await kept.withdraw(log, { kind: 'withdrawn' });
  });

  it('requests whose client has left end when nothing of them may be retained', async () => {
    const { key, guardrailId } = await bench.gateway.guardedKey({ enforce_zdr: false });
    const enforce = (isOn: boolean) => bench.gateway.manage('PATCH', `/guardrails/${guardrailId}`, { enforce_zdr: isOn }); // oxfmt-ignore
    const before = calls();
    bench.anthropic.script(() => sse([OPEN, delta('one '), HANG]));
    const headers = { 'idempotency-key': newName() };
    const first = await post('/messages', askStream(MODEL), headers, key);
    await first.body!.cancel();
    await enforce(true);
    expect(await outcomeOf(await post('/messages', askStream(MODEL), headers, key))).toEqual(NOT_KEPT);
    const call = await bench.anthropic.request(before);
    await call.closed;
    expect(call.aborted).toBe(true);
    await enforce(false);
  });

  it.each(STREAMS)(
    'a resumable stream is numbered, is not resumed, and ends with its client: %s',
    async (path, body) => {
      const { key } = await bench.gateway.guardedKey({ enforce_zdr: true });
      const zdr = { provider: { zdr: true } };
      const { key: free } = await bench.gateway.newKey();
      for (const [sent, by] of [
        [body, key],
        [{ ...body, ...zdr }, free],
      ] as const) {
        const held = gate();
        bench.anthropic.script(() => sse([OPEN, delta('one '), held.opened, delta('two'), END]));
        const first = await post(path, sent, RESUMABLE, by);
        const reader = first.body!.getReader();
        const decoder = new TextDecoder();
        let text = '';
        while (!text.includes('one ')) text += decoder.decode((await reader.read()).value);
        expect(text).toMatch(/^id: 1\n/);
        expect(await outcomeOf(await resume(idOf(first), by))).toEqual(NOT_KEPT);
        held.open();
        for (;;) {
          const { value, done } = await reader.read();
          if (done) break;
          text += decoder.decode(value);
        }
        expect(text).toMatch(/id: \d+\ndata: \[DONE\]\n\n$/);
        expect(await outcomeOf(await resume(idOf(first), by, 1))).toEqual(NOT_KEPT);
        expect(await storedOf(idOf(first))).toEqual(NOTHING);

        const before = calls();
        bench.anthropic.script(() => sse([OPEN, delta('one '), HANG]));
        const left = await post(path, sent, RESUMABLE, by);
        await left.body!.cancel();
        const call = await bench.anthropic.request(before);
        await call.closed;
        expect(call.aborted).toBe(true);
        expect(await outcomeOf(await resume(idOf(left), by))).toEqual(NOT_KEPT);
      }
    },
  );
});
