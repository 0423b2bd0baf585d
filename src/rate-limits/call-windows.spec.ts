// A key has the whole window while it is alone and half of it under contention, management and wasted calls have
// windows of their own, each resets by itself, and memory stays bounded. The same steps run against Redis in
// test/replicas/flood.spec.ts.
import { callerOf } from '../../test/support/caller.js';
import { Clock } from '../core/time.js';
import { FLOOD_STEPS, type FloodStep } from '../../test/support/flood-steps.js';
import { CallWindows } from './call-windows.js';

class ManualClock extends Clock {
  time = 1_795_000_000_000;
  override now(): number {
    return this.time;
  }
}

describe('CallWindows', () => {
  it.each(FLOOD_STEPS)('$goal', ({ rates, steps }) => {
    const clock = new ManualClock();
    const windows = new CallWindows(clock);
    const run = ({ waitMs = 0, caller, wastes = 0, wastesAtOnce, times = 1 }: FloodStep): unknown[] => {
      clock.time += waitMs;
      for (let time = 0; time < wastes; time++) windows.waste(caller, rates.wasted);
      if (wastesAtOnce) windows.waste(caller, rates.wasted, wastesAtOnce);
      return Array.from({ length: times }, () => windows.count(caller, rates)?.limit ?? 'passes');
    };
    for (const [index, step] of steps.entries()) expect([index, run(step)]).toEqual([index, step.expected]);
  });

  it('reports the time that is left, and whether other keys contend', () => {
    const clock = new ManualClock();
    const windows = new CallWindows(clock);
    const rates = { account: { limit: 2, windowMs: 10_000 }, wasted: { limit: 1, windowMs: 60_000 } };
    expect(windows.hasContention(callerOf('a', 'k'))).toBe(false);
    windows.count(callerOf('a', 'k'), rates);
    expect([windows.hasContention(callerOf('a', 'k')), windows.hasContention(callerOf('a', 'l'))]).toEqual([
      false,
      true,
    ]);
    clock.time += 4_000;
    windows.count(callerOf('a', 'l'), rates);
    expect(windows.count(callerOf('a', 'l'), rates)).toEqual({ limit: 'share', retryAfterMs: 10_000 });
    clock.time += 9_999;
    expect(windows.count(callerOf('a', 'l'), rates)).toEqual({ limit: 'share', retryAfterMs: 1 });
    windows.waste(callerOf('a', 'k'), rates.wasted);
    expect(windows.count(callerOf('a', 'k'), rates)).toEqual({ limit: 'wasted', retryAfterMs: 60_000 });
    expect(windows.hasContention(callerOf('a', 'k'))).toBe(true);
    clock.time += 600_000;
    expect([windows.hasContention(callerOf('a', 'k')), windows.hasContention(callerOf('a', 'l'))]).toEqual([
      false,
      false,
    ]);
  });

  it('continues from the counts of all replicas', () => {
    const clock = new ManualClock();
    const windows = new CallWindows(clock);
    const rates = { account: { limit: 6, windowMs: 10_000 }, wasted: { limit: 3, windowMs: 60_000 } };
    const none = { hits: 0, leftMs: 0 };
    const reported = { othersMs: Infinity, group: none, key: none, wasted: none };
    windows.learn(callerOf('a', 'k'), {
      ...reported,
      group: { hits: 5, leftMs: 4_000 },
      key: { hits: 5, leftMs: 7_000 },
    });
    expect(windows.count(callerOf('a', 'k'), rates)).toBeUndefined();
    expect(windows.count(callerOf('a', 'k'), rates)).toEqual({ limit: 'account', retryAfterMs: 10_000 });
    windows.learn(callerOf('b', 'l'), { ...reported, othersMs: 1_000, key: { hits: 3, leftMs: 2_000 } });
    clock.time += 1_999;
    expect(windows.count(callerOf('b', 'l'), rates)).toEqual({ limit: 'share', retryAfterMs: 10_000 });
    windows.learn(callerOf('c', 'm'), { ...reported, wasted: { hits: 3, leftMs: 30_000 } });
    expect(windows.count(callerOf('c', 'm'), rates)).toEqual({ limit: 'wasted', retryAfterMs: 30_000 });
    clock.time += 30_000;
    expect(windows.count(callerOf('c', 'm'), rates)).toBeUndefined();
  });

  it('stores no more than its bound, of a hundred thousand keys, and forgets those whose last call is longest ago', () => {
    const windows = new CallWindows(new ManualClock());
    const rates = { account: { limit: 20, windowMs: 10_000 }, wasted: { limit: 1, windowMs: 60_000 } };
    const busy = callerOf('busy', 'busy');
    const verdicts: unknown[] = [];
    for (let key = 0; key < 100_000; key++) {
      windows.count(callerOf(`a${key}`, `k${key}`), rates);
      if (key % 1_000 === 0) verdicts.push(windows.count(busy, rates)?.limit);
    }
    expect(windows.size).toBe(80_000);
    expect(verdicts).toEqual(verdicts.map((_, times) => (times < 20 ? undefined : 'account')));
  });
});
