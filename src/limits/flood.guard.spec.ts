// Goal: an account is let through up to its limit without a word, refused past it with what it needs to know,
// and let through again. Method: the real storage, a clock moved by hand, contexts that hold a caller or none
// and no response to write to.
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerGuard } from '@nestjs/throttler';
import { Clock } from '../core/time.js';
import { FloodGuard, floodOptions } from './flood.guard.js';
import { LocalThrottlerStorage } from './local-throttler.storage.js';

class HandClock extends Clock {
  time = 1_795_000_000_000;
  override now(): number {
    return this.time;
  }
}

const contextOf = (accountId?: string): ExecutionContext =>
  ({
    switchToHttp: () => ({
      getRequest: () => (accountId === undefined ? {} : { caller: { accountId } }),
      getResponse: () => ({}),
    }),
  }) as unknown as ExecutionContext;

describe('FloodGuard', () => {
  const clock = new HandClock();
  const storage = new LocalThrottlerStorage(clock);
  const guard = new FloodGuard(floodOptions(storage, { limit: 2, windowMs: 10_000 }), storage, new Reflector(), clock);
  beforeAll(() => guard.onModuleInit());

  it("is the library's guard", () => {
    expect(guard).toBeInstanceOf(ThrottlerGuard);
  });

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

  it('does not start with limits that it would have to work out for every request', async () => {
    const options = { storage, throttlers: [{ limit: () => 2, ttl: 10_000, blockDuration: 10_000 }] };
    await expect(new FloodGuard(options, storage, new Reflector(), clock).onModuleInit()).rejects.toThrow(TypeError);
    const none = { storage, throttlers: [] };
    await expect(new FloodGuard(none, storage, new Reflector(), clock).onModuleInit()).rejects.toThrow(TypeError);
  });
});
