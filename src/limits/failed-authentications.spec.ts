// Goal: an address past its limit is told 429 with the exact headers; up to the limit nothing is said.
// Method: the real local storage; and a storage that answers as told, for the figures.
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

  it('is silent at the limit and refuses one past it', async () => {
    await failures.record('192.0.2.1');
    await failures.record('192.0.2.1');
    await expect(failures.record('192.0.2.1')).rejects.toMatchObject({ kind: 'rate-limited' });
  });

  it('does not let one address answer for another', async () => {
    for (let times = 0; times < 2; times++) await failures.record('192.0.2.2');
    await expect(failures.record('192.0.2.3')).resolves.toBeUndefined();
  });

  it('counts a connection that is already gone', async () => {
    await expect(failures.record(undefined)).resolves.toBeUndefined();
  });

  it('says the limit, what remains, and when it ends', async () => {
    const blocked = { totalHits: 3, timeToExpire: 17, isBlocked: true, timeToBlockExpire: 17 };
    const limited = new FailedAuthentications({ increment: async () => blocked }, environment, new StoppedClock());
    const error: unknown = await limited.record('192.0.2.4').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GatewayError);
    expect((error as GatewayError).detail).toEqual({
      retryAfterMs: 17_000,
      headers: { 'X-RateLimit-Limit': '2', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(NOW + 17_000) },
    });
  });
});
