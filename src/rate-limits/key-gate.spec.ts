// A key's limits apply to it alone, whatever else its account does; a refusal names its limit with the right figures;
// further calls of a request count tokens only. Uses the real local counts.
import type { RateLimits } from '../core/caller.js';
import { Clock } from '../core/time.js';
import { isLimitedCaller, KeyGate, type LimitedCaller } from './key-gate.js';
import { LocalLimitCounts } from './local-limit-counts.js';
import { OccupiedSlots } from './occupied-slots.js';

const MINUTE = 1_795_000_020_000;

class ManualClock extends Clock {
  time = MINUTE + 20_000;
  override now(): number {
    return this.time;
  }
}

const callerWith = (rateLimits: RateLimits, changes: Partial<LimitedCaller> = {}): LimitedCaller => ({
  accountId: 'account',
  workspaceId: 'workspace',
  keyHash: 'key',
  kind: 'inference',
  userId: null,
  rateLimits,
  ...changes,
});

describe('KeyGate', () => {
  let clock: ManualClock;
  let gate: KeyGate;
  beforeEach(() => {
    clock = new ManualClock();
    gate = new KeyGate(new LocalLimitCounts(clock, new OccupiedSlots(clock, 900_000)));
  });

  it.each([
    ['requests_per_minute', { requestsPerMinute: 1 }, 1, '0', 'this key may make 1 request a minute'],
    ['tokens_per_minute', { tokensPerMinute: 150 }, 150, '50', 'this key may use 150 tokens a minute'],
  ])('refuses past %s with its figures, until the minute ends', async (name, limits, limit, remaining, words) => {
    const caller = callerWith(limits);
    await gate.enter(caller, 'gen-1', 100);
    const headers = {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': remaining,
      'X-RateLimit-Reset': String(MINUTE + 60_000),
    };
    await expect(gate.enter(caller, 'gen-2', 100)).rejects.toMatchObject({
      kind: 'rate-limited',
      message: expect.stringContaining(words),
      detail: {
        headers,
        retryAfterMs: 40_000,
        metadata: { headers, limit_source: 'key_rate_limit', limit: name },
      },
    });
    clock.time = MINUTE + 60_000;
    await gate.enter(caller, 'gen-3', 100);
  });

  it('counts keys and accounts separately, and the secrets of a key together', async () => {
    const limits = { requestsPerMinute: 1 };
    await gate.enter(callerWith(limits), 'gen-1', 1);
    await gate.enter(callerWith(limits, { keyHash: 'other' }), 'gen-2', 1);
    await gate.enter(callerWith(limits, { accountId: 'other' }), 'gen-3', 1);
    const rotated = callerWith(limits, { secretHash: 'second' });
    await expect(gate.enter(rotated, 'gen-4', 1)).rejects.toMatchObject({ kind: 'rate-limited' });
  });

  it('counts used tokens instead of reserved ones, and those of further calls', async () => {
    const caller = callerWith({ requestsPerMinute: 2, tokensPerMinute: 100 });
    const first = await gate.enter(caller, 'gen-1', 90);
    await expect(gate.enterFurther(caller, 'gen-1:1', 20)).rejects.toMatchObject({ kind: 'rate-limited' });
    first.release(30);
    const further = await gate.enterFurther(caller, 'gen-1:1', 70);
    await expect(gate.enter(caller, 'gen-2', 1)).rejects.toMatchObject({ kind: 'rate-limited' });
    further.release(60);
    await gate.enter(caller, 'gen-2', 10);
    await expect(gate.enter(caller, 'gen-3', 1)).rejects.toMatchObject({ detail: { metadata: { limit: 'requests_per_minute' } } }); // oxfmt-ignore
  });

  it('calls no counter for a further call of a key without a limit of tokens', async () => {
    const caller = callerWith({ requestsPerMinute: 1 });
    await gate.enter(caller, 'gen-1', 1);
    for (const call of [1, 2, 3]) (await gate.enterFurther(caller, `gen-1:${call}`, 1e9)).release(5);
  });

  it('recognises callers with limits', () => {
    const { rateLimits, ...unlimited } = callerWith({ requestsPerMinute: 1 });
    expect([isLimitedCaller(unlimited), isLimitedCaller({ ...unlimited, rateLimits })]).toEqual([false, true]);
  });
});
