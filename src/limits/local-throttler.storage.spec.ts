// Goal: counting stays in bounded memory whatever the number of addresses, and refuses from one past the limit on.
// Method: the real storage with a small bound.
import { LocalThrottlerStorage } from './local-throttler.storage.js';

describe('LocalThrottlerStorage', () => {
  let storage: LocalThrottlerStorage;
  const count = (key: string): ReturnType<LocalThrottlerStorage['increment']> =>
    storage.increment(key, 60_000, 2, 60_000, 'test');

  beforeEach(() => (storage = new LocalThrottlerStorage(3)));
  afterEach(() => storage.onApplicationShutdown());

  it('lets the limit pass and blocks one past it', async () => {
    expect((await count('a')).isBlocked).toBe(false);
    expect((await count('a')).isBlocked).toBe(false);
    expect(await count('a')).toMatchObject({ isBlocked: true, timeToBlockExpire: 60 });
  });

  it('counts addresses apart', async () => {
    for (let times = 0; times < 3; times++) await count('a');
    expect((await count('b')).isBlocked).toBe(false);
  });

  it('counts addresses past its bound together', async () => {
    for (let address = 0; address < 100; address++) await count(`address ${address}`);
    expect(storage.storage.size).toBe(4);
    expect((await count('one more')).isBlocked).toBe(true);
    expect((await count('address 0')).isBlocked).toBe(false);
  });
});
