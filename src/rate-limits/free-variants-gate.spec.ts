// Twenty free requests of an account a minute, and exactly the words and figures of docs/use/errors.md#free-variants
// past them and past those of the day. Uses the real local counts; errors are printed as callers see them.
import { callerOf } from '../../test/support/caller.js';
import { GatewayError } from '../core/errors.js';
import { Clock } from '../core/time.js';
import { errorHeaders, genericErrorBody } from '../shared/http/error-views.js';
import { freeDayError, FreeVariantsGate } from './free-variants-gate.js';
import type { FloodStorage } from './flood-storage.js';
import { OccupiedSlots } from './occupied-slots.js';
import { LocalLimitCounts } from './local-limit-counts.js';

const MINUTE = 1_795_000_020_000;
const MIDNIGHT = 1_795_046_400_000;

class ManualClock extends Clock {
  time = MINUTE + 59_000;
  override now(): number {
    return this.time;
  }
}

/** The flood guard's answer about other keys. */
const callsOf = (hasContention: () => boolean): FloodStorage => ({ hasContention }) as unknown as FloodStorage;
const ALONE = callsOf(() => false);

const bodyOf = (error: GatewayError): unknown => genericErrorBody(error, { requestId: null });

describe('FreeVariantsGate', () => {
  const clock = new ManualClock();
  const gate = new FreeVariantsGate(new LocalLimitCounts(clock, new OccupiedSlots(clock, 900_000)), ALONE);

  it('passes twenty requests of a minute, refuses the next, and resets with the minute', async () => {
    for (let times = 0; times < 20; times++) await gate.enter(callerOf('a'));
    const error: unknown = await gate.enter(callerOf('a')).catch((thrown: unknown) => thrown);
    if (!(error instanceof GatewayError)) throw new Error('not refused');
    const headers = {
      'X-RateLimit-Limit': '20',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(MINUTE + 60_000),
    };
    expect(errorHeaders(error)).toEqual(headers);
    expect(bodyOf(error)).toEqual({
      error: {
        code: 429,
        message: 'Rate limit exceeded: free-models-per-min',
        metadata: { error_type: 'rate_limit_exceeded', headers, limit_source: 'openrouter_free_tier_per_minute' },
      },
    });
    await gate.enter(callerOf('b'));
    clock.time = MINUTE + 60_000;
    await gate.enter(callerOf('a'));
  });
});

describe('the share of a key under contention', () => {
  let clock: ManualClock;
  let hasContention: boolean;
  let gate: FreeVariantsGate;
  beforeEach(() => {
    clock = new ManualClock();
    hasContention = true;
    const counts = new LocalLimitCounts(clock, new OccupiedSlots(clock, 900_000));
    gate = new FreeVariantsGate(
      counts,
      callsOf(() => hasContention),
    );
  });
  async function enterOften(key: string, times: number): Promise<void> {
    for (let time = 0; time < times; time++) await gate.enter(callerOf('a', key));
  }
  const messageOf = (key: string): Promise<string> =>
    gate.enter(callerOf('a', key)).then(
      () => 'passes',
      (error: GatewayError) => `${error.message} (${String(error.detail.headers?.['X-RateLimit-Limit'])})`,
    );

  it('is half of the minute, and the other half stays for the other keys', async () => {
    await enterOften('k', 10);
    const halved =
      'Rate limit exceeded: free-models-per-min; while other keys of the account make calls, each has half of them';
    for (let times = 0; times < 30; times++) expect(await messageOf('k')).toBe(`${halved} (10)`);
    await enterOften('l', 10);
    expect(await messageOf('m')).toBe('Rate limit exceeded: free-models-per-min (20)');
    clock.time = MINUTE + 60_000;
    await enterOften('k', 10);
  });

  it('counts what the key took while it was alone', async () => {
    hasContention = false;
    await enterOften('k', 12);
    hasContention = true;
    expect(await messageOf('k')).toContain('half');
    await enterOften('l', 8);
    expect(await messageOf('l')).toBe('Rate limit exceeded: free-models-per-min (20)');
  });

  it('comes back with a request that is given back', async () => {
    const freeRequest = await gate.enter(callerOf('a', 'k'));
    await enterOften('k', 9);
    expect(await messageOf('k')).toContain('half');
    freeRequest.giveBack();
    freeRequest.giveBack();
    expect(await messageOf('k')).toBe('passes');
    expect(await messageOf('k')).toContain('half');
  });
});

describe('a request that is given back', () => {
  it('does not count in its minute, once, and changes nothing in the next', async () => {
    const clock = new ManualClock();
    const gate = new FreeVariantsGate(new LocalLimitCounts(clock, new OccupiedSlots(clock, 900_000)), ALONE);
    const freeRequests = [];
    for (let times = 0; times < 20; times++) freeRequests.push(await gate.enter(callerOf('a')));
    await expect(gate.enter(callerOf('a'))).rejects.toBeInstanceOf(GatewayError);
    freeRequests[0]!.giveBack();
    freeRequests[0]!.giveBack();
    await gate.enter(callerOf('a'));
    await expect(gate.enter(callerOf('a'))).rejects.toBeInstanceOf(GatewayError);
    clock.time = MINUTE + 60_000;
    for (let times = 0; times < 20; times++) await gate.enter(callerOf('a'));
    freeRequests[1]!.giveBack();
    await expect(gate.enter(callerOf('a'))).rejects.toBeInstanceOf(GatewayError);
  });
});

describe('freeDayError', () => {
  it.each([
    [50, false, 'Rate limit exceeded: free-models-per-day; with 10 credits bought the account has 1000 a day'],
    [1000, false, 'Rate limit exceeded: free-models-per-day-high-balance'],
    [
      25,
      true,
      'Rate limit exceeded: free-models-per-day; while other keys of the account make calls, each has half of them',
    ],
    [
      500,
      true,
      'Rate limit exceeded: free-models-per-day-high-balance; while other keys of the account make calls, each has half of them',
    ],
  ])('reports %d requests a day (a share: %s), and when the next begins', (limit, isShare, message) => {
    const error = freeDayError({ limit, isShare, resetAtMs: MIDNIGHT });
    const headers = {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(MIDNIGHT),
    };
    expect(errorHeaders(error)).toEqual(headers);
    expect(bodyOf(error)).toEqual({
      error: {
        code: 429,
        message,
        metadata: { error_type: 'rate_limit_exceeded', headers, limit_source: 'openrouter_free_tier_daily' },
      },
    });
  });
});
