/**
 * The response cache over two replicas without Redis: fifty equal requests at both share one call and one charge, or,
 * without sharing, make fifty; a replica that fills shared calls is killed,
 * or its reply is too large to be kept. Gateways as separate processes on one
 * PostgreSQL.
 */
import { anthropicText } from '../support/anthropic-upstream.js';
import { describeOnPostgres } from '../support/database.js';
import type { GatewayProcess } from '../support/gateway-process.js';
import { HANG, sse } from '../support/upstream-answers.js';
import { ask, askStream, delta, END, gate, OPEN } from '../http/messages-bench.js';
import { CACHED, cacheOf, CachedReplicas, MODEL, RACES, SHARED } from './cached-replicas.js';

const TEST_MS_MAX = 240_000;

/** A stream of each format, and its event of a failure. */
const STREAMS = [
  ['/messages', (text: string) => ask(MODEL, { messages: [{ role: 'user', content: text }] }), /event: error\ndata: .*/],
  ['/chat/completions', (text: string) => ({ model: MODEL, messages: [{ role: 'user', content: text }] }), /"error":\{.*/],
  ['/responses', (text: string) => ({ model: MODEL, input: text }), /event: response\.failed\ndata: .*/],
] as const; // oxfmt-ignore
/** What only a whole stream has. */
const ENDS = /message_stop|"finish_reason":"stop"|response\.completed/;

describeOnPostgres('replies that two replicas share without Redis', (database) => {
  let replicas: CachedReplicas;
  beforeAll(async () => {
    replicas = await CachedReplicas.start(database);
  }, TEST_MS_MAX);
  afterAll(() => replicas?.close(), TEST_MS_MAX);

  it.each(RACES)(
    'answers fifty equal requests of %s at both, streamed %s, by one call for one charge, and marks each',
    (path, stream) => replicas.raceShared(path, stream),
    TEST_MS_MAX,
  );

  it.each([
    ['/messages', false],
    ['/messages', true],
  ] as const)(
    'runs fifty equal requests of %s that do not share, streamed %s, each by itself, and keeps one reply',
    async (path, stream) => {
      const { body, replies, ids, records, charges } = await replicas.race(path, stream, {
        headers: CACHED,
        calls: 50,
      });
      expect(replies.map((reply) => cacheOf(reply, 'status'))).toEqual(replies.map(() => 'MISS'));
      expect(records.every(({ cost, source }) => cost > 0 && source === null)).toBe(true);
      expect(charges.toSorted()).toEqual(ids.toSorted());
      const before = replicas.upstream.requests.length;
      for (const gateway of [replicas.one, replicas.two]) {
        const reply = await replicas.send(gateway, path, body, CACHED);
        await reply.text();
        expect([cacheOf(reply, 'status'), ids.includes(cacheOf(reply, 'source-id')!)]).toEqual(['HIT', true]);
      }
      expect(replicas.upstream.requests.length).toBe(before);
    },
    TEST_MS_MAX,
  );

  it(
    'fails a shared stream that grows too large to be kept, and gives its own client all of it',
    async () => {
      const { upstream, one, two } = replicas;
      const held = gate();
      const body = replicas.fresh('', askStream);
      const pieces = Array.from({ length: 40 }, () => delta('x'.repeat(50_000)));
      upstream.script(() => sse([OPEN, delta('one '), held.opened, ...pieces, END]));
      const first = await replicas.send(one, '/messages', body, SHARED);
      const joined = await replicas.send(two, '/messages', body, SHARED);
      expect([first, joined].map((reply) => cacheOf(reply, 'status'))).toEqual(['MISS', 'SHARED']);
      held.open();
      const [whole, part] = await Promise.all([first.text(), joined.text()]);
      expect([whole.length > 2_000_000, ENDS.test(whole)]).toEqual([true, true]);
      expect(part).toMatch(/event: error\ndata: .*The rest of the reply that this request shares is not kept/);
      expect(part).not.toMatch(ENDS);
      const again = await replicas.send(two, '/messages', body, SHARED);
      expect([cacheOf(again, 'status'), (await again.text()).length]).toEqual(['MISS', whole.length]);
    },
    TEST_MS_MAX,
  );

  describe('of a replica that is killed', () => {
    let victim: GatewayProcess;
    beforeEach(async () => {
      victim = await replicas.startReplica();
    }, TEST_MS_MAX);

    it(
      'fails the streams that others share, in the form of each format, and runs the next equal request anew',
      async () => {
        const { upstream, two } = replicas;
        const cases = STREAMS.map(([path, bodyOf, error]) => {
          const body: object = { ...bodyOf(replicas.newText()), stream: true };
          return { path, body, error };
        });
        upstream.script(() => sse([OPEN, delta('one '), HANG]));
        const cut = await Promise.all(cases.map(({ path, body }) => replicas.send(victim, path, body, SHARED)));
        const joined = await Promise.all(cases.map(({ path, body }) => replicas.send(two, path, body, SHARED)));
        expect(joined.map((reply) => [reply.status, cacheOf(reply, 'status')])).toEqual(joined.map(() => [200, 'SHARED']));
        const lost = cut.map((reply) => reply.text().catch(() => 'cut'));
        await victim.kill();
        expect(await Promise.all(lost)).toEqual(cut.map(() => 'cut'));
        const texts = await Promise.all(joined.map((reply) => reply.text()));
        for (const [index, { path, error }] of cases.entries()) {
          const text = texts[index]!;
          expect([path, text]).toEqual([path, expect.stringContaining('one ')]);
          expect([path, error.exec(text)?.[0]]).toEqual([path, expect.stringContaining('The request that this one shared has ended without a reply')]);
          expect(text).not.toMatch(ENDS);
          expect(text).not.toContain('idempotency');
        }
        const ids = joined.map(({ headers }) => headers.get('x-generation-id')!);
        const { records, charges } = await replicas.settled(ids);
        expect(records.map(({ outcome, cost }) => [outcome === 'completed', cost])).toEqual(ids.map(() => [false, 0]));
        expect(charges).toEqual([]);
        upstream.script(anthropicText('Run anew.'));
        for (const { path, body } of cases) {
          const before = upstream.requests.length;
          const statuses: (string | null)[] = [];
          for (let time = 0; time < 2; time++) {
            const reply = await replicas.send(two, path, body, SHARED);
            expect([path, await reply.text()]).toEqual([path, expect.stringMatching(ENDS)]);
            statuses.push(cacheOf(reply, 'status'));
          }
          expect([path, statuses, upstream.requests.length - before]).toEqual([path, ['MISS', 'HIT'], 1]);
        }
      },
      TEST_MS_MAX,
    ); // oxfmt-ignore

    it(
      'runs a whole request that shared its call, once it counts as dead',
      async () => {
        const { upstream, two } = replicas;
        const body = replicas.fresh('By the other.');
        const answer = anthropicText('By the other.');
        const before = upstream.requests.length;
        upstream.script((request, index) => (index === before ? { raw: true, body: [HANG] } : answer(request, index)));
        const cut = replicas.send(victim, '/messages', body, SHARED).catch(() => undefined);
        await upstream.request(before);
        const joined = replicas.send(two, '/messages', body, SHARED);
        await victim.kill();
        expect(await cut).toBeUndefined();
        const reply = await joined;
        expect([reply.status, cacheOf(reply, 'status')]).toEqual([200, 'MISS']);
        expect(await reply.text()).toContain('By the other.');
        expect(upstream.requests.length).toBe(before + 2);
      },
      TEST_MS_MAX,
    );
  });
});
