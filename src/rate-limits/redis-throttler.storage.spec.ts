// Redis counts while it answers and this process while it does not, and requests do not wait for a dead Redis. The
// script runner answers or fails as scripted.
import { callerOf } from '../../test/support/caller.js';
import { Logger } from '@nestjs/common';
import { Clock } from '../core/time.js';
import { LocalThrottlerStorage } from './local-throttler.storage.js';
import { RedisThrottlerStorage, type ScriptRunner } from './redis-throttler.storage.js';

class ManualClock extends Clock {
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

  countRequest(...count: (string | number)[]): Promise<unknown> {
    return this.eval('', 2, ...count);
  }

  countWaste(...count: (string | number)[]): Promise<unknown> {
    return this.eval('', 1, ...count);
  }

  disconnect(): void {
    this.disconnected = true;
  }
}

const RATES = { account: { limit: 4, windowMs: 10_000 }, wasted: { limit: 2, windowMs: 60_000 } };

describe('RedisThrottlerStorage', () => {
  const clock = new ManualClock();
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

  it('sends one script call', async () => {
    await count();
    expect(redis.calls).toEqual([[1, 'fairlead:failures:192.0.2.7', 3, 60_000, 30_000, 1, 0]]);
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

  it('continues from the last count of Redis for an address', async () => {
    redis.answer = [3, 41_000];
    await count();
    redis.gone = true;
    expect(await count()).toMatchObject({ totalHits: 4, isBlocked: true });
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
    expect(redis.calls.slice(1)).toEqual([
      // The local counts, and how long ago the first of them was.
      [1, 'fairlead:failures:192.0.2.7', 3, 60_000, 30_000, 2, 1_000],
      [1, 'fairlead:failures:192.0.2.7', 3, 60_000, 30_000, 1, 0],
    ]);
    await count();
    expect(redis.calls).toHaveLength(4);
  });

  it('sends nothing of a window that has ended', async () => {
    redis.gone = true;
    await count();
    redis.gone = false;
    clock.time += 60_000;
    await count();
    expect(redis.calls.slice(1)).toEqual([[1, 'fairlead:failures:192.0.2.7', 3, 60_000, 30_000, 1, 0]]);
  });

  describe('the flood guard’s requests', () => {
    const ask = (key: string): Promise<unknown> => storage.countRequest(callerOf('a', key), RATES);
    /** Counts and times of the group, of the key, and of its wasted calls. */
    const WINDOWS = [1, 10_000, 1, 10_000, 0, 0];

    it('are one script call, of keys in one hash slot of a cluster', async () => {
      redis.answer = [0, -1, ...WINDOWS];
      expect(await ask('k')).toBeUndefined();
      expect(redis.calls).toEqual([
        [2, 'fairlead:flood:{a}', 'fairlead:flood:{a}:k', 'k', 4, 10_000, 2, 2, 600_000, 0, 1, 0],
      ]);
    });

    it.each([
      [1, 'account'],
      [2, 'share'],
      [3, 'wasted'],
    ])('are refused by limit %d: %s', async (index, limit) => {
      redis.answer = [index, -1, 1, 4_201, 1, 4_202, 1, 4_203];
      expect(await ask('k')).toEqual({ limit, retryAfterMs: 4_200 + index });
    });

    it('continue to be counted here while Redis does not answer, with the contention that it last reported', async () => {
      redis.answer = [0, 3_000, ...WINDOWS];
      await ask('k');
      expect(storage.hasContention(callerOf('a', 'k'))).toBe(true);
      redis.gone = true;
      await ask('k');
      expect(await ask('k')).toEqual({ limit: 'share', retryAfterMs: 10_000 });
    });

    it.each([['OK'], [[0, 1]], [['0', '1', '2', '3', '4', '5', '6', '7']], [null]])(
      'are counted here where it answers %j',
      async (answer) => {
        redis.answer = answer;
        for (let times = 0; times < 4; times++) expect(await ask('k')).toBeUndefined();
        expect(await ask('k')).toEqual({ limit: 'account', retryAfterMs: 10_000 });
      },
    );

    it('are added in Redis once it answers, by key, with the calls that were wasted meanwhile', async () => {
      redis.gone = true;
      for (const key of ['k', 'l', 'k']) await ask(key);
      for (let times = 0; times < 2; times++) storage.countWaste(callerOf('a', 'k'), RATES.wasted);
      redis.gone = false;
      redis.calls.length = 0;
      redis.answer = [0, -1, ...WINDOWS];
      clock.time += 1_000;
      await ask('k');
      expect(redis.calls).toEqual([
        [2, 'fairlead:flood:{a}', 'fairlead:flood:{a}:k', 'k', 4, 10_000, 2, 2, 600_000, 0, 2, 1_000],
        [2, 'fairlead:flood:{a}', 'fairlead:flood:{a}:l', 'l', 4, 10_000, 2, 2, 600_000, 0, 1, 1_000],
        [1, 'fairlead:flood:{a}:k', 2, 60_000, 0, 2, 1_000],
        [2, 'fairlead:flood:{a}', 'fairlead:flood:{a}:k', 'k', 4, 10_000, 2, 2, 600_000, 0, 1, 0],
      ]);
      redis.calls.length = 0;
      await ask('k');
      expect(redis.calls).toHaveLength(1);
    });

    it('are refused for calls that were wasted while Redis did not answer', async () => {
      redis.gone = true;
      for (let times = 0; times < 2; times++) storage.countWaste(callerOf('a', 'k'), RATES.wasted);
      await new Promise(setImmediate);
      expect(await ask('k')).toMatchObject({ limit: 'wasted' });
    });
  });

  it('closes its connection with the application', () => {
    storage.onApplicationShutdown();
    expect(redis.disconnected).toBe(true);
  });
});
