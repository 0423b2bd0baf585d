// At most one admission per key and interval, with an exact count of the rest, in bounded memory. A clock moved by
// hand, at the interval and one millisecond before it, also backwards.
import { Clock } from '../../core/time.js';
import { RepeatedLog } from './repeated-log.js';

class ManualClock extends Clock {
  at = 0;

  override now(): number {
    return this.at;
  }
}

describe('RepeatedLog', () => {
  it('admits a key again only when the interval is over, and counts from zero again', () => {
    const clock = new ManualClock();
    const repeated = new RepeatedLog(clock, 100);
    expect(repeated.admit('a')).toBe(0);
    expect(repeated.admit('a')).toBeUndefined();
    expect(repeated.admit('b')).toBe(0);
    clock.at = 99;
    expect(repeated.admit('a')).toBeUndefined();
    clock.at = 100;
    expect(repeated.admit('a')).toBe(2);
    clock.at = 200;
    expect(repeated.admit('a')).toBe(0);
  });

  it('does not fall silent when the clock is set back', () => {
    const clock = new ManualClock();
    const repeated = new RepeatedLog(clock, 100);
    clock.at = 1_000_000;
    repeated.admit('a');
    clock.at = 5;
    expect(repeated.admit('a')).toBe(0);
  });

  it('forgets the key with the oldest use, beyond a thousand', () => {
    const repeated = new RepeatedLog(new ManualClock());
    for (let index = 0; index < 1001; index++) repeated.admit(`key ${index}`);
    expect(repeated.admit('key 1000')).toBeUndefined();
    expect(repeated.admit('key 0')).toBe(0);
  });
});
