// An address past its limit gets 429 with the exact headers, and its keys are looked up slowly; below the limit no
// headers are sent. Uses the real local storage, a scripted storage for the figures, and jest's timers for the queue.
import { GatewayError } from '../core/errors.js';
import { Clock } from '../core/time.js';
import type { Environment } from '../shared/environment.js';
import { FailedAuthentications } from './failed-authentications.js';
import { LocalThrottlerStorage } from './local-throttler.storage.js';

const NOW = 1_795_000_000_000;

class StoppedClock extends Clock {
  override now(): number {
    return NOW;
  }
}

const environment = { flood: { auth: { limit: 2, windowMs: 60_000 } } } as Environment;

describe('FailedAuthentications', () => {
  const storage = new LocalThrottlerStorage(new StoppedClock());
  const failures = new FailedAuthentications(storage, environment, new StoppedClock());

  it('sends nothing at the limit and refuses one past it', async () => {
    await failures.record('192.0.2.1');
    await failures.record('192.0.2.1');
    await expect(failures.record('192.0.2.1')).rejects.toMatchObject({ kind: 'rate-limited' });
  });

  it('counts addresses separately', async () => {
    for (let times = 0; times < 2; times++) await failures.record('192.0.2.2');
    await expect(failures.record('192.0.2.3')).resolves.toBeUndefined();
  });

  it('counts a connection that is already closed', async () => {
    await expect(failures.record(undefined)).resolves.toBeUndefined();
  });

  it('reports the limit, what remains, and when it ends', async () => {
    const blocked = { totalHits: 3, timeToExpire: 17, isBlocked: true, timeToBlockExpire: 17 };
    const limited = new FailedAuthentications({ increment: async () => blocked }, environment, new StoppedClock());
    const error: unknown = await limited.record('192.0.2.4').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GatewayError);
    const headers = {
      'X-RateLimit-Limit': '2',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(NOW + 17_000),
    };
    expect((error as GatewayError).detail).toEqual({
      retryAfterMs: 17_000,
      headers,
      metadata: { headers, limit_source: 'failed_authentications' },
    });
  });
});

describe('looking up keys of an address', () => {
  class TimersClock extends Clock {
    override now(): number {
      return Date.now();
    }
  }
  let failures: FailedAuthentications;
  let lookedUp: string[];
  beforeEach(() => {
    jest.useFakeTimers({ now: NOW });
    const clock = new TimersClock();
    failures = new FailedAuthentications(new LocalThrottlerStorage(clock), environment, clock);
    lookedUp = [];
  });
  afterEach(() => jest.useRealTimers());
  const lookUp = (address: string, key: string): Promise<string> =>
    failures.lookUp(address, key, async () => {
      lookedUp.push(key);
      return key;
    });
  async function fail(address: string, times: number): Promise<void> {
    for (let time = 0; time < times; time++) await failures.record(address).catch(() => undefined);
  }

  it('is done at once up to its limit, and one by one past it, in whatever form the address is written', async () => {
    await fail('192.0.2.1', 2);
    await Promise.all(['a', 'b', 'c'].map((key) => lookUp('192.0.2.1', key)));
    expect(lookedUp).toEqual(['a', 'b', 'c']);
    await fail('192.0.2.1', 1);
    const found = ['d', 'e'].map((key) => lookUp('[::ffff:192.0.2.1]:4711', key));
    await jest.advanceTimersByTimeAsync(0);
    expect(lookedUp.splice(0)).toEqual(['a', 'b', 'c', 'd']);
    await jest.advanceTimersByTimeAsync(200);
    expect(lookedUp).toEqual(['e']);
    expect(await Promise.all(found)).toEqual(['d', 'e']);
    expect(await lookUp('192.0.2.2', 'f')).toBe('f');
  });

  it('is refused after too long a wait, with the time to retry', async () => {
    await fail('192.0.2.1', 3);
    const all = Promise.allSettled(Array.from({ length: 20 }, (_, key) => lookUp('192.0.2.1', `key ${key}`)));
    await jest.advanceTimersByTimeAsync(2_000);
    const refused = (await all).filter((one) => one.status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(9);
    expect(refused[0]!.reason).toMatchObject({
      kind: 'rate-limited',
      message: expect.stringContaining('looked up slowly'),
      detail: {
        retryAfterMs: 2_000,
        headers: { 'X-RateLimit-Limit': '2', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(NOW + 60_000) },
      },
    });
  });

  it('is fast again when its time is over', async () => {
    await fail('192.0.2.1', 3);
    await jest.advanceTimersByTimeAsync(60_000);
    await Promise.all(['a', 'b', 'c'].map((key) => lookUp('192.0.2.1', key)));
    expect(lookedUp).toEqual(['a', 'b', 'c']);
  });
});
