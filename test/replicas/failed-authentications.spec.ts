// Goal: with Redis, replicas count the failures of an address together, and the count ends by itself.
// Method: two storages, each with a connection of its own, on a real Redis where one answers; else listed as skipped.
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { Secret } from '../../src/core/secret.js';
import { SystemClock } from '../../src/core/time.js';
import { LocalThrottlerStorage } from '../../src/limits/local-throttler.storage.js';
import { connectForLimits, RedisThrottlerStorage } from '../../src/limits/redis-throttler.storage.js';
import { describeOnRedis, redisAddress } from '../support/redis.js';

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
