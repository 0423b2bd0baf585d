// An account passes up to its limit without extra headers, is refused past it with the needed figures, and passes again
// later; so does a key past its share, or past its wasted calls. The contexts have a caller or none, and no response.
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerGuard, type ThrottlerOptions } from '@nestjs/throttler';
import type { Caller } from '../core/caller.js';
import { Clock } from '../core/time.js';
import { FloodGuard, floodOptions } from './flood.guard.js';
import { LocalThrottlerStorage } from './local-throttler.storage.js';

class ManualClock extends Clock {
  time = 1_795_000_000_000;
  override now(): number {
    return this.time;
  }
}

const RATES = { account: { limit: 5, windowMs: 10_000 }, wasted: { limit: 2, windowMs: 60_000 } };

const callerOf = (keyHash: string, accountId = 'a', kind: Caller['kind'] = 'inference'): Caller => ({
  accountId,
  workspaceId: 'w',
  keyHash,
  kind,
  userId: null,
});

const contextOf = (caller?: Caller): ExecutionContext =>
  ({
    switchToHttp: () => ({ getRequest: () => (caller ? { caller } : {}), getResponse: () => ({}) }),
  }) as unknown as ExecutionContext;

describe('FloodGuard', () => {
  let clock: ManualClock;
  let storage: LocalThrottlerStorage;
  let guard: FloodGuard;
  beforeEach(() => {
    clock = new ManualClock();
    storage = new LocalThrottlerStorage(clock);
    guard = new FloodGuard(floodOptions(storage, RATES), storage, new Reflector(), clock);
  });

  const ask = (caller?: Caller): Promise<boolean> => guard.canActivate(contextOf(caller));
  async function askOften(caller: Caller, times: number): Promise<void> {
    for (let time = 0; time < times; time++) await expect(ask(caller)).resolves.toBe(true);
  }
  const headers = (limit: number, endsInMs: number) => ({
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(clock.time + endsInMs),
  });

  it("is the library's guard", () => {
    expect(guard).toBeInstanceOf(ThrottlerGuard);
  });

  it('gives a single key the whole limit of its account, refuses past it, and lets it through again', async () => {
    await askOften(callerOf('k'), 5);
    await expect(ask(callerOf('k'))).rejects.toMatchObject({
      kind: 'rate-limited',
      message: expect.stringContaining('this account'),
      detail: { retryAfterMs: 10_000, headers: headers(5, 10_000), metadata: { limit_source: 'account_requests' } },
    });
    await expect(ask(callerOf('l', 'b'))).resolves.toBe(true);
    clock.time += 10_000;
    await expect(ask(callerOf('k'))).resolves.toBe(true);
  });

  it('reports the share as the limit to a key past it', async () => {
    await ask(callerOf('l'));
    await askOften(callerOf('k'), 2);
    await expect(ask(callerOf('k'))).rejects.toMatchObject({
      kind: 'rate-limited',
      message: expect.stringContaining('half'),
      detail: {
        retryAfterMs: 10_000,
        headers: headers(2, 10_000),
        metadata: { limit_source: 'account_requests_share' },
      },
    });
  });

  it('refuses a key with too many wasted calls, in whole seconds, and no other', async () => {
    for (let times = 0; times < 2; times++) storage.countWaste(callerOf('k'), RATES.wasted);
    clock.time += 100;
    await expect(ask(callerOf('k'))).rejects.toMatchObject({
      kind: 'rate-limited',
      message: expect.stringContaining('abandoned or failed'),
      detail: { retryAfterMs: 60_000, headers: headers(2, 60_000), metadata: { limit_source: 'wasted_calls' } },
    });
    await expect(ask(callerOf('l'))).resolves.toBe(true);
  });

  it('counts no caller on an open route', async () => {
    for (let times = 0; times < 9; times++) await expect(ask()).resolves.toBe(true);
  });

  it('does not start with limits that it would have to compute for every request', () => {
    const [, wasted] = (floodOptions(storage, RATES) as { throttlers: ThrottlerOptions[] }).throttlers;
    for (const throttlers of [[{ name: 'account', limit: () => 2, ttl: 10_000 }, wasted!], [wasted!], []]) {
      expect(() => new FloodGuard({ storage, throttlers }, storage, new Reflector(), clock)).toThrow(TypeError);
    }
  });
});
