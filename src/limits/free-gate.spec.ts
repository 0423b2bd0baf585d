// Goal: twenty free requests of an account a minute, and exactly the words and figures of
// docs/wire/errors.md#free-variants past it and past the day's. Method: the real local counts on a clock moved by hand;
// errors printed as callers see them.
import { GatewayError } from '../core/errors.js';
import { Clock } from '../core/time.js';
import { errorHeaders, genericErrorBody } from '../shared/http/error-views.js';
import { freeDayError, FreeGate } from './free-gate.js';
import { OccupiedSlots } from './occupied-slots.js';
import { LocalLimitCounts } from './local-limit-counts.js';

const MINUTE = 1_795_000_020_000;
const MIDNIGHT = 1_795_046_400_000;

class HandClock extends Clock {
  time = MINUTE + 59_000;
  override now(): number {
    return this.time;
  }
}

const bodyOf = (error: GatewayError): unknown => genericErrorBody(error, { requestId: null });

describe('FreeGate', () => {
  const clock = new HandClock();
  const gate = new FreeGate(new LocalLimitCounts(clock, new OccupiedSlots(clock, 900_000)));

  it('is silent for twenty requests of a minute, refuses the next, and begins anew with the minute', async () => {
    for (let times = 0; times < 20; times++) await gate.enter('a');
    const error: unknown = await gate.enter('a').catch((thrown: unknown) => thrown);
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
    await gate.enter('b');
    clock.time = MINUTE + 60_000;
    await gate.enter('a');
  });
});

describe('a request that is given back', () => {
  it('does not count in its minute, once, and changes nothing of the next', async () => {
    const clock = new HandClock();
    const gate = new FreeGate(new LocalLimitCounts(clock, new OccupiedSlots(clock, 900_000)));
    const places = [];
    for (let times = 0; times < 20; times++) places.push(await gate.enter('a'));
    await expect(gate.enter('a')).rejects.toBeInstanceOf(GatewayError);
    places[0]!.giveBack();
    places[0]!.giveBack();
    await gate.enter('a');
    await expect(gate.enter('a')).rejects.toBeInstanceOf(GatewayError);
    clock.time = MINUTE + 60_000;
    for (let times = 0; times < 20; times++) await gate.enter('a');
    places[1]!.giveBack();
    await expect(gate.enter('a')).rejects.toBeInstanceOf(GatewayError);
  });
});

describe('freeDayError', () => {
  it.each([
    [50, 'Rate limit exceeded: free-models-per-day; with 10 credits bought the account has 1000 a day'],
    [1000, 'Rate limit exceeded: free-models-per-day-high-balance'],
  ])('tells of %d requests a day, and when the next begins', (limit, message) => {
    const error = freeDayError({ limit, resetAtMs: MIDNIGHT });
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
