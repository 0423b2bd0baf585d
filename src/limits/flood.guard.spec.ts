// Goal: an account is let through up to its limit without a word, refused past it with what it needs to know, and let through again.
// Method: the real storage, a clock moved by hand, contexts that hold a caller or none.
import type { ExecutionContext } from '@nestjs/common';
import { Clock } from '../core/time.js';
import type { Environment } from '../shared/environment.js';
import { FloodGuard } from './flood.guard.js';
import { LocalThrottlerStorage } from './local-throttler.storage.js';

class HandClock extends Clock {
  time = 1_795_000_000_000;
  override now(): number {
    return this.time;
  }
}

const contextOf = (accountId?: string): ExecutionContext =>
  ({
    switchToHttp: () => ({ getRequest: () => (accountId === undefined ? {} : { caller: { accountId } }) }),
  }) as unknown as ExecutionContext;

describe('FloodGuard', () => {
  const clock = new HandClock();
  const environment = { flood: { account: { limit: 2, windowMs: 10_000 } } } as Environment;
  const guard = new FloodGuard(new LocalThrottlerStorage(clock), environment, clock);

  it('lets an account through up to its limit, refuses past it, and lets it through again', async () => {
    for (let times = 0; times < 2; times++) await expect(guard.canActivate(contextOf('a'))).resolves.toBe(true);
    await expect(guard.canActivate(contextOf('a'))).rejects.toMatchObject({
      kind: 'rate-limited',
      detail: {
        retryAfterMs: 10_000,
        headers: {
          'X-RateLimit-Limit': '2',
          'X-RateLimit-Remaining': '0',
          'X-RateLimit-Reset': String(clock.time + 10_000),
        },
      },
    });
    await expect(guard.canActivate(contextOf('b'))).resolves.toBe(true);
    clock.time += 10_000;
    await expect(guard.canActivate(contextOf('a'))).resolves.toBe(true);
  });

  it('counts nobody on an open route', async () => {
    for (let times = 0; times < 5; times++) await expect(guard.canActivate(contextOf())).resolves.toBe(true);
  });
});
