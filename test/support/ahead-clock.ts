import { Clock, DAY_MS, MINUTE_MS } from '../../src/core/time.js';

/** Longer than the tests of any file take, plus the minutes that they add. */
const NEAR_MIDNIGHT_MS = 45 * MINUTE_MS;

/** An offset past midnight UTC where that is near, so that no day ends within a test; else 0. */
function awayFromMidnight(): number {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  return leftMs < NEAR_MIDNIGHT_MS ? leftMs : 0;
}

/** The real time plus an offset set by the test. */
export class AheadClock extends Clock {
  override aheadMs = awayFromMidnight();

  override now(): number {
    return Date.now() + this.aheadMs;
  }
}

/** A clock that only moves when a test moves it, so that a busy machine's delays do not count. */
export class StandingClock extends AheadClock {
  private readonly startedAt = Date.now();

  override now(): number {
    return this.startedAt + this.aheadMs;
  }
}

/** A wrong clock, which moves together with the others. */
export class WrongClock extends AheadClock {
  constructor(private readonly offMs: number) {
    super();
  }

  override now(): number {
    return super.now() + this.offMs;
  }
}
