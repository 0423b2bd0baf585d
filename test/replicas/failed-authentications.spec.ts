// With Redis, replicas count the failures of an address together, and the count ends by itself; without it, an address
// is limited all the same, from its last count, and a valid key passes. Two storages, each with its own connection, and
// a gateway whose connection to Redis is cut, on a real Redis where one answers; otherwise skipped.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { Secret } from '../../src/core/secret.js';
import { SystemClock } from '../../src/core/time.js';
import { clientNetwork } from '../../src/rate-limits/client-network.js';
import { LocalThrottlerStorage } from '../../src/rate-limits/local-throttler.storage.js';
import { connectForLimits, RedisThrottlerStorage } from '../../src/rate-limits/redis-throttler.storage.js';
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { describeOnRedis, redisAddress } from '../support/redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';

describeOnRedis('counting in Redis', () => {
  const name = `test-${randomUUID()}`;
  const connections: Redis[] = [];
  const replicas: RedisThrottlerStorage[] = [];

  beforeAll(async () => {
    for (let replica = 0; replica < 2; replica++) {
      const redis = connectForLimits(new Secret(redisAddress ?? ''));
      await new Promise((resolve) => redis.once('ready', resolve));
      connections.push(redis);
      replicas.push(new RedisThrottlerStorage(redis, new LocalThrottlerStorage(new SystemClock()), new SystemClock()));
    }
  });
  afterAll(async () => {
    await connections[0]?.del(`fairlead:${name}:192.0.2.1`);
    for (const replica of replicas) replica.onApplicationShutdown();
  });

  it('refuses at every replica one past the limit', async () => {
    const count = (replica: number): ReturnType<RedisThrottlerStorage['increment']> =>
      replicas[replica]!.increment('192.0.2.1', 60_000, 3, 30_000, name);
    const counted = [await count(0), await count(1), await count(0), await count(1), await count(0)];
    expect(counted.map(({ totalHits, isBlocked }) => [totalHits, isBlocked])).toEqual([
      [1, false],
      [2, false],
      [3, false],
      [4, true],
      [5, true],
    ]);
    expect(counted[0]!.timeToExpire).toBe(60);
    expect(counted[4]!.timeToBlockExpire).toBe(30);
    expect(await connections[0]!.pttl(`fairlead:${name}:192.0.2.1`)).toBeGreaterThan(0);
  });
});

const FAILURES_MAX = 6;

describeOnRedis('guesses while Redis is lost', () => {
  describeOnEmbedded('at a gateway', (database) => {
    let proxy: TcpProxy;
    let gateway: TestGateway;
    let redis: Redis;
    /** Network of this run alone: counts in Redis stay for a minute. */
    let network: string;

    beforeAll(() => {
      redis = connectForLimits(new Secret(redisAddress!));
    });
    afterAll(() => redis.disconnect());
    beforeEach(async () => {
      network = `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}`;
      proxy = new TcpProxy(redisAddress!);
      await proxy.start();
      gateway = await startGateway(database, {
        variables: {
          REDIS_URL: proxy.url,
          FAIRLEAD_FLOOD: `auth=${FAILURES_MAX}/60s`,
          FAIRLEAD_TRUST_PROXY: '127.0.0.1/32',
        },
      });
    }, 240_000);
    afterEach(async () => {
      await gateway?.close();
      await proxy?.stop();
      await redis.del(countedAs());
    });

    const countedAs = (of = network): string => `fairlead:failed-authentication:${clientNetwork(`${of}::1`)}`;
    const ask = async (key: string, from = network): Promise<number> => {
      const response = await gateway.request('/key', { key, headers: { 'x-forwarded-for': `${from}::1` } });
      await response.arrayBuffer();
      return response.status;
    };
    /** Until then, and after a late answer, it counts locally. */
    async function countsInRedis(): Promise<void> {
      const from = `2001:db8:${randomBytes(2).toString('hex')}:1`;
      while ((await redis.get(countedAs(from))) === null) {
        await ask(`guess-${randomUUID()}`, from);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await redis.del(countedAs(from));
    }
    const guess = (): Promise<number> => ask(`guess-${randomUUID()}`);
    async function guesses(count: number): Promise<number[]> {
      const statuses: number[] = [];
      for (let time = 0; time < count; time++) statuses.push(await guess());
      return statuses;
    }

    it.each([
      ['cut', () => proxy.stop()],
      ['silent', async () => proxy.silence()],
    ])('are counted on, and a valid key passes: %s', async (_, lose) => {
      const [seen, unseen] = [(await gateway.newKey()).key, (await gateway.newKey()).key];
      expect(await ask(seen)).toBe(200);
      await countsInRedis();
      expect(await guesses(FAILURES_MAX - 2)).toEqual(Array(FAILURES_MAX - 2).fill(401));
      expect(Number(await redis.get(countedAs()))).toBeGreaterThan(0);
      await lose();
      expect(await guesses(4)).toEqual([401, 401, 429, 429]);
      // The formerly valid one at once, the other possibly late.
      expect([await ask(seen), await ask(unseen)]).toEqual([200, 200]);
    });
  });
});
