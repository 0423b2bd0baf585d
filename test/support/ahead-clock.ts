import { Clock, DAY_MS, MINUTE_MS } from '../../src/core/time.js';

/** Longer than any file's tests take, and than the minutes that they add. */
const NEAR_MIDNIGHT_MS = 45 * MINUTE_MS;

/** Past midnight in UTC where it is near, so that no day ends within a test; else 0. */
function awayFromMidnight(): number {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  return leftMs < NEAR_MIDNIGHT_MS ? leftMs : 0;
}

/** The real time, and what a test adds to it. */
export class AheadClock extends Clock {
  override aheadMs = awayFromMidnight();

  override now(): number {
    return Date.now() + this.aheadMs;
  }
}

/** A clock that stands still but for what it is moved by hand: what a busy machine takes for its calls is no time. */
export class StandingClock extends AheadClock {
  private readonly startedAt = Date.now();

  override now(): number {
    return this.startedAt + this.aheadMs;
  }
}

/** One that is off, though time is moved for it as for all. */
export class WrongClock extends AheadClock {
  constructor(private readonly offMs: number) {
    super();
  }

  override now(): number {
    return super.now() + this.offMs;
  }
}
