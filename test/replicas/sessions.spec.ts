// Replicas agree on the endpoint of a session without communication. A consequence of a failure on one of them (a moved
// session, a paused endpoint) is used by the others within a second. Gateways on one PostgreSQL and one Redis before
// the same providers, called alternately; model ids and providers belong to this run. Rules:
// docs/contribute/reasons/routing.md.
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { ask, at, inTurn, model, RoutingBench } from '../http/routing-bench.js';
import type { TestGateway } from '../support/app.js';
import { AheadClock } from '../support/ahead-clock.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { describeOnPostgres } from '../support/database.js';
import { describeOnRedis, redisAddress } from '../support/redis.js';

const ELSEWHERE_MS_MAX = 1_000;
const CALLS = 30;

describeOnPostgres('sessions at several replicas', (database) => {
  describeOnRedis('on one Redis', () => {
    const run = `r${randomBytes(4).toString('hex')}`;
    const [alpha, beta, gamma] = ['alpha', 'beta', 'gamma'].map((name) => `${name}-${run}`) as [string, string, string];
    const all = [alpha, beta, gamma];
    const sessions = Array.from({ length: CALLS }, (_, index) => `session-${index}`);
    const clock = new AheadClock();
    let bench: RoutingBench;
    let here: TestGateway;
    let there: TestGateway;

    beforeAll(async () => {
      bench = await RoutingBench.start(database, {
        clock,
        variables: { REDIS_URL: redisAddress! },
        providers: { [alpha]: {}, [beta]: {}, [gamma]: {} },
        models: [
          model(
            `${run}/equal`,
            all.map((slug) => at(slug)),
          ),
          model(
            `${run}/moved`,
            all.map((slug) => at(slug)),
          ),
          model(`${run}/turns`, inTurn([alpha, beta], { pricing: { input_cache_read: '0.05' } })),
          model(`${run}/limited`, inTurn([alpha, beta])),
          model(`${run}/failing`, inTurn([alpha, beta])),
          model(`${run}/alone`, [at(alpha)]),
        ],
      });
      here = bench.gateway;
      there = await bench.addGateway();
      await until(async () => {
        // With a hint: otherwise the last one left is tried although it cools down.
        bench.fails(alpha, 429, { 'retry-after': '5' });
        await bench.ask(ask(`${run}/alone`));
        return (await firstsOf(`${run}/alone`, there)).length === 0;
      }, 10 * ELSEWHERE_MS_MAX);
    }, 240_000);
    afterAll(async () => {
      await bench?.close();
      await forget(run);
    });
    beforeEach(() => bench.reset());

    /** The planned candidates, in order, as a replica sees them; none is called. */
    async function firstsOf(to: string, gateway: TestGateway, more: object = {}): Promise<readonly string[]> {
      const { data } = await bench.explain(ask(to, more), { gateway });
      return data.candidates.map(({ provider }: { provider: string }) => provider);
    }

    /** The provider that answers a request of this session. */
    async function endpointOf(session: string, gateway: TestGateway, to = `${run}/equal`): Promise<string> {
      const { status, body } = await bench.ask(ask(to, { session_id: session }), { gateway });
      expect(status).toBe(200);
      return body.provider.toLowerCase();
    }

    const endpointsAt = (gateway: TestGateway): Promise<readonly string[]> =>
      Promise.all(sessions.map((session) => endpointOf(session, gateway)));

    async function until(holds: () => Promise<boolean>, msMax = ELSEWHERE_MS_MAX): Promise<void> {
      const began = performance.now();
      while (!(await holds())) {
        if (performance.now() - began > msMax) throw new Error(`This did not come about within ${msMax} ms.`);
      }
    }

    it('one session stays with one provider over both', async () => {
      const endpoints = new Set<string>();
      for (let call = 0; call < CALLS; call++) endpoints.add(await endpointOf('s1', call % 2 === 0 ? here : there));
      expect(endpoints.size).toBe(1);
      // The body's id, not the header's.
      const { body } = await bench.ask(ask(`${run}/equal`, { session_id: 's1' }), {
        gateway: there,
        headers: { 'x-session-id': 's2' },
      });
      expect(new Set([body.provider.toLowerCase()])).toEqual(endpoints);
    });

    it('a replica that joins moves none, and sends each to the same endpoint as the others', async () => {
      const endpoints = await endpointsAt(here);
      expect(new Set(endpoints).size).toBeGreaterThan(1);
      const added = await bench.addGateway();
      expect(await endpointsAt(added)).toEqual(endpoints);
      expect(await endpointsAt(here)).toEqual(endpoints);
      expect(await endpointsAt(there)).toEqual(endpoints);
    });

    it('a session that moved after a failure is known to the other within a second', async () => {
      const to = `${run}/moved`;
      const first = await endpointOf('s1', here, to);
      bench.fails(first, 429);
      const second = await endpointOf('s1', here, to);
      expect(second).not.toBe(first);
      bench.reset();
      await until(async () => {
        const { data } = await bench.explain(ask(to, { session_id: 's1' }), { gateway: there });
        return data.session.pins.length > 0;
      });
      // Long after the first is well again.
      clock.aheadMs += 60_000;
      for (const gateway of [there, here, there]) expect(await endpointOf('s1', gateway, to)).toBe(second);
    });

    it('a conversation whose cache was seen at one is known to the other within a second', async () => {
      const to = `${run}/turns`;
      bench.script(beta, anthropicText('Cached.', { usage: { cache_read_input_tokens: 900 } }));
      expect(await firstsOf(to, there)).toEqual([alpha, beta]);
      await bench.ask(ask(to, { provider: { only: [beta] } }), { gateway: here });
      await until(async () => (await firstsOf(to, there))[0] === beta);
      expect(await firstsOf(to, there, { system: 'Another conversation.' })).toEqual([alpha, beta]);
    });

    it.each([
      ['limited', 429, 1],
      ['failing', 503, 3],
    ])(
      'an endpoint that one leaves alone is left alone by the other within a second: %s',
      async (name, status, calls) => {
        const to = `${run}/${name}`;
        bench.fails(alpha, status, { 'retry-after': '30' });
        for (let call = 0; call < calls; call++) await bench.ask(ask(to), { gateway: here });
        expect(await firstsOf(to, here)).toEqual([beta]);
        await until(async () => (await firstsOf(to, there)).length === 1);
        bench.calls.length = 0;
        for (const gateway of [there, here, there]) expect((await bench.ask(ask(to), { gateway })).status).toBe(200);
        expect(bench.calls).toEqual([beta, beta, beta]);
        // And the success after it ends it everywhere.
        bench.answers(alpha);
        clock.aheadMs += 31_000;
        await bench.ask(ask(to, { provider: { only: [alpha] } }), { gateway: there });
        await until(async () => (await firstsOf(to, here)).includes(alpha));
      },
    );

    it('when no candidate is left, both report until when', async () => {
      const to = `${run}/alone`;
      bench.fails(alpha, 429, { 'retry-after': '40' });
      clock.aheadMs += 60_000;
      expect((await bench.ask(ask(to), { gateway: here })).status).toBe(429);
      await until(async () => (await firstsOf(to, there)).length === 0);
      bench.calls.length = 0;
      const { status, headers } = await bench.ask(ask(to), { gateway: there });
      expect([status, bench.calls]).toEqual([429, []]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(38);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(40);
    });
  });
});

/** Removes what this run left in Redis: entries name its models or its providers. */
async function forget(run: string): Promise<void> {
  const redis = new Redis(redisAddress!);
  try {
    for await (const keys of redis.scanStream({ match: 'fairlead:*', count: 1_000 }) as AsyncIterable<string[]>) {
      for (const key of keys) {
        const isOwn =
          key.includes(run) || (key.startsWith('fairlead:session-pins:') && (await redis.get(key))?.includes(run));
        if (isOwn) await redis.del(key);
      }
    }
  } finally {
    redis.disconnect();
  }
}
