// Counting stays in bounded memory whatever the number of keys, refuses from one past the limit on, and resets by
// itself. Uses the real storage with a small bound.
import { Clock } from '../core/time.js';
import { LocalThrottlerStorage } from './local-throttler.storage.js';

class ManualClock extends Clock {
  time = 1_000_000;
  override now(): number {
    return this.time;
  }
}

describe('LocalThrottlerStorage', () => {
  let clock: ManualClock;
  let storage: LocalThrottlerStorage;
  const count = (key: string, name = 'test'): ReturnType<LocalThrottlerStorage['increment']> =>
    storage.increment(key, 60_000, 2, 30_000, name);

  beforeEach(() => {
    clock = new ManualClock();
    storage = new LocalThrottlerStorage(clock, 3);
  });

  it('passes up to the limit and blocks from one past it, for the time of the block', async () => {
    expect(await count('a')).toEqual({ totalHits: 1, timeToExpire: 60, isBlocked: false, timeToBlockExpire: 0 });
    expect((await count('a')).isBlocked).toBe(false);
    expect(await count('a')).toEqual({ totalHits: 3, timeToExpire: 30, isBlocked: true, timeToBlockExpire: 30 });
    clock.time += 29_999;
    expect(await count('a')).toMatchObject({ isBlocked: true, timeToBlockExpire: 1 });
    clock.time += 1;
    expect(await count('a')).toMatchObject({ totalHits: 1, isBlocked: false });
  });

  it('begins a new window when the last one has ended', async () => {
    await count('a');
    clock.time += 60_000;
    expect(await count('a')).toMatchObject({ totalHits: 1 });
  });

  it('counts keys separately, and those of other names', async () => {
    for (let times = 0; times < 3; times++) await count('a');
    expect((await count('b')).isBlocked).toBe(false);
    expect((await count('a', 'other')).isBlocked).toBe(false);
  });

  it('counts keys past its bound together, until those before them have ended', async () => {
    for (let key = 0; key < 100; key++) await count(`key ${key}`);
    expect(storage.size).toBe(4);
    expect((await count('one more')).isBlocked).toBe(true);
    expect((await count('key 0')).isBlocked).toBe(false);
    clock.time += 60_000;
    expect((await count('yet one')).isBlocked).toBe(false);
    expect(storage.size).toBe(1);
  });

  it('scans all of them once a second at most, however many new ones come past the bound', async () => {
    const looks = jest.spyOn(Map.prototype, Symbol.iterator);
    const looksFor = async (keys: number): Promise<number> => {
      const before = looks.mock.calls.length;
      for (let key = 0; key < keys; key++) await count(`${clock.time} ${key}`);
      return looks.mock.calls.length - before;
    };
    const counted = [await looksFor(100)];
    clock.time += 999;
    counted.push(await looksFor(100));
    clock.time += 1;
    counted.push(await looksFor(100));
    // A clock that was set back.
    clock.time -= 60_000;
    counted.push(await looksFor(100));
    looks.mockRestore();
    expect(counted).toEqual([1, 0, 1, 1]);
  });

  it('continues from the counts of all replicas, until the storage is full', async () => {
    storage.learnWindow('a', 'test', { hits: 2, leftMs: 5_000 });
    expect(await count('a')).toMatchObject({ totalHits: 3, isBlocked: true, timeToBlockExpire: 30 });
    storage.learnWindow('b', 'test', { hits: 3, leftMs: 5_000 });
    expect(await count('b')).toMatchObject({ totalHits: 4, isBlocked: true, timeToBlockExpire: 5 });
    for (let key = 0; key < 10; key++) storage.learnWindow(`key ${key}`, 'test', { hits: 1, leftMs: 5_000 });
    expect(storage.size).toBe(3);
  });
});
