// Goal: counts are Redis's while it answers and this process's while it does not, and requests do not wait for a dead
// Redis. Method: a script runner that answers or fails as told, and a clock moved by hand.
import { Logger } from '@nestjs/common';
import { Clock } from '../core/time.js';
import { LocalThrottlerStorage } from './local-throttler.storage.js';
import { RedisThrottlerStorage, type ScriptRunner } from './redis-throttler.storage.js';

class HandClock extends Clock {
  time = 1_000_000;
  override now(): number {
    return this.time;
  }
}

class FakeRedis implements ScriptRunner {
  answer: unknown = [1, 60_000];
  gone = false;
  readonly calls: (string | number)[][] = [];
  disconnected = false;

  async eval(_script: string, keyCount: number, ...rest: (string | number)[]): Promise<unknown> {
    this.calls.push([keyCount, ...rest]);
    if (this.gone) throw new Error('connect ECONNREFUSED 10.0.0.1:6379');
    return this.answer;
  }

  disconnect(): void {
    this.disconnected = true;
  }
}

describe('RedisThrottlerStorage', () => {
  const clock = new HandClock();
  let redis: FakeRedis;
  let storage: RedisThrottlerStorage;
  const count = (): ReturnType<RedisThrottlerStorage['increment']> =>
    storage.increment('192.0.2.7', 60_000, 3, 30_000, 'failures');

  beforeAll(() => Logger.overrideLogger(false));
  beforeEach(() => {
    redis = new FakeRedis();
    storage = new RedisThrottlerStorage(redis, new LocalThrottlerStorage(clock), clock);
  });
  afterEach(() => storage.onApplicationShutdown());

  it('asks with one script call', async () => {
    await count();
    expect(redis.calls).toEqual([[1, 'fairlead:failures:192.0.2.7', 3, 60_000, 30_000]]);
  });

  it.each([
    ['at the limit', [3, 41_001], { totalHits: 3, isBlocked: false, timeToExpire: 42, timeToBlockExpire: 0 }],
    ['one past it', [4, 30_000], { totalHits: 4, isBlocked: true, timeToExpire: 30, timeToBlockExpire: 30 }],
    ['as it expires', [4, -2], { totalHits: 4, isBlocked: true, timeToExpire: 0, timeToBlockExpire: 0 }],
  ])('reads a count %s', async (_, answer, record) => {
    redis.answer = answer;
    expect(await count()).toEqual(record);
  });

  it.each([
    ['fails', (): void => void (redis.gone = true)],
    ['answers nonsense', (): void => void (redis.answer = 'OK')],
  ])('counts in this process while Redis %s', async (_, breakIt) => {
    breakIt();
    for (let times = 1; times <= 3; times++) expect((await count()).isBlocked).toBe(false);
    expect((await count()).isBlocked).toBe(true);
  });

  it('leaves a failing Redis alone for a second, then returns to it by itself', async () => {
    redis.gone = true;
    await count();
    await count();
    expect(redis.calls).toHaveLength(1);
    redis.gone = false;
    redis.answer = [7, 1_000];
    clock.time += 1_000;
    expect((await count()).totalHits).toBe(7);
    expect(redis.calls).toHaveLength(2);
  });

  it('closes its connection with the application', () => {
    storage.onApplicationShutdown();
    expect(redis.disconnected).toBe(true);
  });
});
