// A paused endpoint is not called before the latest end of its pauses, and then by one call at a time until one
// succeeds. Checked by tables of short event sequences in milliseconds, and by random sequences.
import fc from 'fast-check';
import { CoolDown, HINT_MS_MAX, STREAK_MAX } from './cool-down.js';

const TIMES = { baseMs: 5_000, maxMs: 60_000, trialMs: 900_000 };

describe('CoolDown', () => {
  let coolDown: CoolDown;
  beforeEach(() => (coolDown = new CoolDown(TIMES)));

  /** Begins consecutive pauses, each at the end of the one before. */
  function pauseTimes(times: number): number {
    let until = 0;
    for (let time = 0; time < times; time++) until = coolDown.begin('faults', 0, until)!.until;
    return until;
  }

  it('admits every call while there is no pause', () => {
    expect([coolDown.admit(0), coolDown.admit(0), coolDown.cooling(0)]).toEqual([true, true, undefined]);
  });

  it.each([
    ['the base without a hint', 0, 5_000],
    ['the hint when it is shorter than the base', 1_000, 1_000],
    ['the hint of a fraction of a second', 300, 300],
    ['the hint when it is longer', 30_000, 30_000],
    ['the hint past the longest own pause', 100_000, 100_000],
    ['an hour at most', 10 * HINT_MS_MAX, HINT_MS_MAX],
  ])('pauses for %s', (_, hintMs, lastsMs) => {
    coolDown.begin('rate-limit', hintMs, 1_000);
    const firm = hintMs > 0 ? { isFirm: true } : {};
    expect(coolDown.cooling(1_000 + lastsMs - 1)).toEqual({ until: 1_000 + lastsMs, by: 'rate-limit', ...firm });
    expect(coolDown.admitLast(1_000 + lastsMs - 1)).toBe(hintMs === 0);
    expect(coolDown.admit(1_000 + lastsMs - 1)).toBe(false);
    expect(coolDown.cooling(1_000 + lastsMs)).toBeUndefined();
    expect(coolDown.admit(1_000 + lastsMs)).toBe(true);
  });

  it('doubles each consecutive pause, up to the longest', () => {
    const lengths: number[] = [];
    let at = 0;
    for (let time = 0; time < 6; time++) {
      const { until } = coolDown.begin('faults', 0, at)!;
      lengths.push(until - at);
      at = until;
    }
    expect(lengths).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  it('counts consecutive pauses up to a bound', () => {
    const until = pauseTimes(STREAK_MAX + 10);
    expect(coolDown.begin('faults', 0, until)!.streak).toBe(STREAK_MAX);
  });

  it('never pauses longer than the maximum, even if the base is longer', () => {
    expect(new CoolDown({ ...TIMES, maxMs: 1_000 }).begin('faults', 0, 0)!.until).toBe(1_000);
  });

  // docs/use/routing.md#health
  it.each([
    ['longer', 1_000, 'rate-limit', 30_000, { until: 31_000, by: 'rate-limit', isFirm: true }],
    ['of another kind and longer', 1_000, 'faults', 0, { until: 6_000, by: 'faults' }],
    ['not longer', 0, 'faults', 0, { until: 5_000, by: 'rate-limit' }],
  ] as const)('within a pause, one that would be %s keeps the later end', (_, at, by, hintMs, cooling) => {
    coolDown.begin('rate-limit', 0, 0);
    coolDown.begin(by, hintMs, at);
    expect(coolDown.cooling(at)).toEqual(cooling);
  });

  it('reports a pause only when it begins or is extended', () => {
    expect(coolDown.begin('faults', 0, 0)).toEqual({ until: 5_000, by: 'faults', streak: 0 });
    expect(coolDown.begin('faults', 0, 0)).toBeUndefined();
    // Calls from before the pause that fail within it do not begin another.
    expect(coolDown.begin('faults', 0, 100)).toEqual({ until: 5_100, by: 'faults', streak: 0 });
  });

  describe('after a pause', () => {
    const END = 5_000;
    beforeEach(() => void coolDown.begin('faults', 0, 0));

    it('admits one call, and appears paused to all others while it is under way', () => {
      expect([coolDown.admit(END), coolDown.admit(END), coolDown.admit(END + 60_000)]).toEqual([true, false, false]);
      expect(coolDown.cooling(END)).toEqual({ until: END, by: 'faults' });
    });

    it('ends with the success of the trial, and the next pause is a first one', () => {
      coolDown.admit(END);
      expect(coolDown.succeed(END + 100)).toBe(true);
      expect([coolDown.admit(END + 100), coolDown.admit(END + 100)]).toEqual([true, true]);
      expect(coolDown.begin('faults', 0, END + 200)!.until).toBe(END + 200 + 5_000);
    });

    it('is paused for longer when the trial fails', () => {
      coolDown.admit(END);
      expect(coolDown.begin('faults', 0, END + 100)).toEqual({ until: END + 100 + 10_000, by: 'faults', streak: 1 });
      expect(coolDown.admit(END + 100)).toBe(false);
    });

    it('admits another trial when the first was released', () => {
      coolDown.admit(END);
      coolDown.release();
      expect([coolDown.admit(END + 1), coolDown.admit(END + 1)]).toEqual([true, false]);
    });

    it('admits another trial when the first has exceeded its time', () => {
      coolDown.admit(END);
      expect(coolDown.admit(END + TIMES.trialMs - 1)).toBe(false);
      expect(coolDown.admit(END + TIMES.trialMs)).toBe(true);
    });
  });

  it('is not ended by a success within the pause', () => {
    coolDown.begin('rate-limit', 30_000, 0);
    expect(coolDown.succeed(10_000)).toBe(false);
    expect(coolDown.admit(29_999)).toBe(false);
  });

  it('is ended by a call that began within a pause, unless the provider requested the pause', () => {
    coolDown.begin('faults', 0, 1_000);
    expect(coolDown.succeed(2_000, 999)).toBe(false);
    expect(coolDown.succeed(2_000, 1_500)).toBe(true);
    coolDown.begin('rate-limit', 3_000, 2_000);
    expect([coolDown.succeed(3_000, 2_500), coolDown.admitLast(3_000)]).toEqual([false, false]);
  });

  it('keeps a pause that the provider requested, even where a later pause is longer', () => {
    coolDown.begin('rate-limit', 6_000, 0);
    coolDown.begin('faults', 0, 4_000);
    expect(coolDown.cooling(5_999)).toEqual({ until: 9_000, by: 'faults', isFirm: true });
    expect(coolDown.cooling(6_000)).toEqual({ until: 9_000, by: 'faults' });
    expect([coolDown.changesAt(5_999), coolDown.changesAt(6_000)]).toEqual([6_000, 9_000]);
    expect([coolDown.admitLast(5_999), coolDown.admitLast(6_000)]).toEqual([false, true]);
  });

  it('leaves the next trial to other callers than the one whose trial failed, for as long as the pause was', () => {
    coolDown.begin('faults', 0, 0);
    expect(coolDown.admit(5_000, 'one')).toBe(true);
    coolDown.begin('faults', 0, 5_000, 'one');
    expect([coolDown.admit(15_000, 'one'), coolDown.admit(24_999, 'one')]).toEqual([false, false]);
    expect(coolDown.admit(15_000, 'other')).toBe(true);
    coolDown.release();
    expect(coolDown.admit(25_000, 'one')).toBe(true);
  });

  it('uses the later end of its own and another replica', () => {
    coolDown.begin('faults', 0, 0);
    coolDown.adopt({ until: 4_000, by: 'rate-limit', streak: 3 }, 0);
    expect(coolDown.cooling(0)!.until).toBe(5_000);
    coolDown.adopt({ until: 9_000, by: 'rate-limit', streak: 3 }, 0);
    expect(coolDown.cooling(0)).toEqual({ until: 9_000, by: 'rate-limit' });
    expect([coolDown.admit(8_999), coolDown.admit(9_000), coolDown.admit(9_000)]).toEqual([false, true, false]);
    expect(coolDown.begin('faults', 0, 9_000)!.streak).toBe(4);
  });

  it.each([0, 4_999, 5_000, 6_000, 1_000_000])('reports at %i when its answer changes', (now) => {
    coolDown.begin('faults', 0, 0);
    if (now >= 6_000) coolDown.admit(6_000);
    const answer = coolDown.cooling(now);
    const changesAt = coolDown.changesAt(now);
    if (changesAt === Infinity) expect(coolDown.cooling(now + 10 * TIMES.trialMs)).toEqual(answer);
    else expect([coolDown.cooling(changesAt - 1), coolDown.cooling(changesAt)]).toEqual([answer, undefined]);
  });

  it('keeps both rules in every sequence', () => {
    const step = fc.record({
      waitMs: fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 1_000_000 })),
      event: fc.constantFrom('admit', 'fault', 'limit', 'succeed', 'release', 'adopt'),
      hintMs: fc.integer({ min: 0, max: 2 * HINT_MS_MAX }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const coolDown = new CoolDown(TIMES);
        let now = 0;
        let until = -Infinity;
        let trialEndsAt = -Infinity;
        let isPaused = false;
        for (const { waitMs, event, hintMs } of steps) {
          now += waitMs;
          if (event === 'admit') {
            expect(coolDown.admit(now)).toBe(!isPaused || (now >= until && now >= trialEndsAt));
            if (isPaused && now >= until && now >= trialEndsAt) trialEndsAt = now + TIMES.trialMs;
          } else if (event === 'fault' || event === 'limit') {
            const pause = coolDown.begin(event === 'fault' ? 'faults' : 'rate-limit', hintMs, now);
            if (pause) {
              expect(pause.until).toBeGreaterThanOrEqual(Math.max(until, now + Math.min(hintMs, HINT_MS_MAX)));
              [until, trialEndsAt] = [pause.until, -Infinity];
            }
            isPaused = true;
          } else if (event === 'succeed') {
            const hasEnded = isPaused && now >= until;
            expect(coolDown.succeed(now)).toBe(hasEnded);
            if (hasEnded) [isPaused, until, trialEndsAt] = [false, -Infinity, -Infinity];
          } else if (event === 'adopt') {
            coolDown.adopt({ until: now + hintMs, by: 'faults', streak: 0 }, now);
            if (!isPaused || now + hintMs > until) [until, trialEndsAt] = [now + hintMs, -Infinity];
            isPaused = true;
          } else {
            coolDown.release();
            trialEndsAt = -Infinity;
          }
          expect(coolDown.cooling(now) !== undefined).toBe(isPaused && (now < until || now < trialEndsAt));
        }
      }),
    );
  });
});
