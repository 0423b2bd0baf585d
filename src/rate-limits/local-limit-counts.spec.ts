// A call takes from all its limits or from none, tokens are counted as used, slots are given back or expire, memory is
// bounded. Random calls are checked against the one rule that the limits are never exceeded.
import type { ModelLimits } from '../core/routing/catalog.js';
import { Clock } from '../core/time.js';
import { OccupiedSlots } from './occupied-slots.js';
import type { LimitRefusal } from './limit-counts.js';
import { LocalLimitCounts } from './local-limit-counts.js';
import type { LimitSlot } from './limit-slot.js';

const MINUTE = 1_795_000_020_000;
const SLOT_LIFE_MS = 500_000;
/** Reported by Redis with no claim of this process. */
const LEARNT = { part: undefined, seen: 0, added: undefined };

class ManualClock extends Clock {
  time = MINUTE + 15_000;
  override now(): number {
    return this.time;
  }
}

describe('LocalLimitCounts', () => {
  let clock: ManualClock;
  let occupied: OccupiedSlots;
  let counts: LocalLimitCounts;
  let calls = 0;

  beforeEach(() => {
    clock = new ManualClock();
    occupied = new OccupiedSlots(clock, SLOT_LIFE_MS);
    counts = new LocalLimitCounts(clock, occupied, 3);
  });

  const claim = (limits: ModelLimits, tokens = 0, subject = 'a'): ReturnType<LocalLimitCounts['claimNow']> =>
    counts.claimNow({ subject, limits, owner: `call-${calls++}`, tokens });
  function enter(limits: ModelLimits, tokens = 0, subject = 'a'): LimitSlot {
    const claimed = claim(limits, tokens, subject);
    if ('slot' in claimed) return claimed.slot;
    throw new Error(`refused by ${claimed.refusal.limit}`);
  }
  function refusal(limits: ModelLimits, tokens = 0, subject = 'a'): LimitRefusal | undefined {
    const claimed = claim(limits, tokens, subject);
    return 'refusal' in claimed ? claimed.refusal : undefined;
  }

  it('admits the requests of a minute, refuses the next one until it ends, and resets', () => {
    const limits = { requestsPerMinute: 2 };
    enter(limits);
    enter(limits).release();
    expect(refusal(limits)).toEqual({
      limit: 'requestsPerMinute',
      remaining: 0,
      resetAtMs: MINUTE + 60_000,
      retryAfterMs: 45_000,
    });
    clock.time = MINUTE + 59_999;
    expect(refusal(limits)).toMatchObject({ limit: 'requestsPerMinute', retryAfterMs: 1 });
    clock.time = MINUTE + 60_000;
    enter(limits);
  });

  it('takes from no limit when one refuses', () => {
    const limits = { requestsPerMinute: 2, tokensPerMinute: 100, concurrency: 1 };
    const slot = enter(limits, 60);
    expect(refusal(limits, 50)).toMatchObject({ limit: 'tokensPerMinute', remaining: 40 });
    expect(refusal(limits, 40)).toMatchObject({ limit: 'concurrency', remaining: 0 });
    slot.release();
    enter(limits, 40).release();
    expect(refusal(limits, 1)).toMatchObject({ limit: 'requestsPerMinute' });
  });

  it('counts only the tokens of a further call of a counted request', () => {
    const limits = { requestsPerMinute: 2, tokensPerMinute: 100 };
    const further = (tokens: number): ReturnType<LocalLimitCounts['claimNow']> =>
      counts.claimNow({ subject: 'a', limits, owner: `call-${calls++}`, tokens, isFurther: true });
    enter(limits, 10);
    for (const tokens of [20, 30]) expect(further(tokens)).toHaveProperty('slot');
    enter(limits, 10);
    expect(refusal(limits, 1)).toMatchObject({ limit: 'requestsPerMinute' });
    expect(further(30)).toHaveProperty('slot');
    expect(further(1)).toMatchObject({ refusal: { limit: 'tokensPerMinute', remaining: 0 } });
  });

  it('reports that a slot may be free in a second', () => {
    enter({ concurrency: 1 });
    expect(refusal({ concurrency: 1 })).toEqual({
      limit: 'concurrency',
      remaining: 0,
      resetAtMs: clock.time + 1_000,
      retryAfterMs: 1_000,
    });
  });

  it.each([
    ['fewer than reserved', 10, 10],
    ['more than reserved', 90, 90],
    ['none', 0, 0],
    ['parts of one', 9.2, 10],
    ['their number is unknown', undefined, 60],
    ['what is no number', NaN, 60],
    ['less than nothing', -5, 60],
    ['without end', Infinity, 60],
  ])('counts the tokens that were used: %s', (_, used, counted) => {
    const limits = { tokensPerMinute: 100 };
    enter(limits, 1);
    enter(limits, 60).release(used);
    expect(refusal(limits, 100 - counted)).toMatchObject({ remaining: 99 - counted });
    enter(limits, 99 - counted);
  });

  it('counts the end of a call once', () => {
    const limits = { tokensPerMinute: 100, concurrency: 1 };
    const first = enter(limits, 50);
    first.release(20);
    const second = enter(limits, 50);
    first.release(0);
    expect(refusal(limits, 1)).toMatchObject({ limit: 'concurrency' });
    second.release();
    expect(refusal(limits, 31)).toMatchObject({ limit: 'tokensPerMinute', remaining: 30 });
  });

  it('leaves a later minute unchanged when a call ends', () => {
    const limits = { tokensPerMinute: 100 };
    const [fewer, more] = [enter(limits, 40), enter(limits, 40)];
    clock.time += 60_000;
    enter(limits, 70);
    fewer.release(0);
    more.release(1_000);
    expect(refusal(limits, 31)).toMatchObject({ remaining: 30 });
  });

  it.each([101, 1e9, Infinity])(
    'admits a call that may need %d tokens of 100 where the minute is untouched',
    (tokens) => {
      const limits = { tokensPerMinute: 100 };
      const slot = enter(limits, tokens);
      expect(refusal(limits, 1)).toMatchObject({ remaining: 0 });
      slot.release(30);
      expect(refusal(limits, tokens)).toMatchObject({ remaining: 70 });
      clock.time += 60_000;
      enter(limits, tokens);
    },
  );

  it.each([0, -1, NaN])('takes one token for a reservation of %d', (tokens) => {
    const limits = { tokensPerMinute: 2 };
    enter(limits, tokens);
    enter(limits, tokens);
    expect(refusal(limits, tokens)).toMatchObject({ limit: 'tokensPerMinute', remaining: 0 });
  });

  it('never reports a negative remainder', () => {
    enter({ tokensPerMinute: 100 }, 1).release(500);
    expect(refusal({ tokensPerMinute: 100 }, 1)).toMatchObject({ remaining: 0 });
  });

  it('expires a slot that was not given back', () => {
    const limits = { concurrency: 1 };
    const lost = enter(limits);
    clock.time += SLOT_LIFE_MS - 1;
    expect(refusal(limits)).toBeDefined();
    clock.time += 1;
    enter(limits);
    lost.release();
    expect(refusal(limits)).toBeDefined();
  });

  it('counts subjects separately, and those past its bound together, until others have ended', () => {
    const limits = { requestsPerMinute: 1 };
    for (const subject of ['a', 'b', 'c']) enter(limits, 0, subject);
    enter(limits, 0, 'd');
    expect(refusal(limits, 0, 'e')).toBeDefined();
    expect(counts.size).toBe(3);
    clock.time += 60_000;
    for (const subject of ['d', 'e', 'f', 'g']) enter(limits, 0, subject);
    expect(counts.size).toBe(3);
  });

  it('continues from the counts of all replicas in the same minute', () => {
    const limits = { requestsPerMinute: 5, tokensPerMinute: 100 };
    counts.learn('a', { ...LEARNT, at: clock.now(), requests: 4, tokens: 90 });
    expect(refusal(limits, 11)).toMatchObject({ limit: 'tokensPerMinute', remaining: 10 });
    enter(limits, 10);
    expect(refusal(limits)).toMatchObject({ limit: 'requestsPerMinute' });
  });

  it.each([-30_000, 30_000])('continues in their minute where its own clock is off by %d ms', (off) => {
    const limits = { requestsPerMinute: 5 };
    for (const spent of [1_000, 59_000]) {
      const subject = `b ${spent}`;
      const theirs = MINUTE + spent;
      clock.time = theirs + off;
      counts.learn(subject, { ...LEARNT, at: theirs, requests: 4, tokens: 0 });
      enter(limits, 1, subject);
      expect(counts.claimNow({ subject, limits, owner: 'one more', tokens: 1 })).toMatchObject({
        refusal: { limit: 'requestsPerMinute', resetAtMs: MINUTE + 60_000, retryAfterMs: 60_000 - spent },
      });
      clock.time += 60_000 - spent;
      enter(limits, 1, subject);
    }
  });

  it('never exceeds its limit, and admits as many as fit, in any order of calls', () => {
    const limits = { concurrency: 4, tokensPerMinute: 1_000, requestsPerMinute: 40 };
    const inside: LimitSlot[] = [];
    const wrong: number[] = [];
    let [requests, tokens, minute] = [0, 0, 0];
    // A plain generator of numbers, so that a failure can be reproduced.
    let state = 7;
    const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
    for (let step = 0; step < 5_000; step++) {
      if (random(100) === 0) clock.time += random(60_000);
      if (Math.floor(clock.time / 60_000) !== minute) {
        minute = Math.floor(clock.time / 60_000);
        [requests, tokens] = [0, 0];
      }
      if (random(2) === 0 && inside.length > 0) {
        inside.splice(random(inside.length), 1)[0]!.release();
        continue;
      }
      const tokensWanted = 1 + random(100);
      const fits = requests < 40 && tokens + tokensWanted <= 1_000 && inside.length < 4;
      const claimed = claim(limits, tokensWanted);
      if ('slot' in claimed !== fits) wrong.push(step);
      if ('slot' in claimed) {
        inside.push(claimed.slot);
        requests++;
        tokens += tokensWanted;
      }
      if (occupied.count('a') !== inside.length) wrong.push(step);
    }
    expect(wrong).toEqual([]);
  });
});
