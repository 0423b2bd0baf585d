import { Clock } from '../../src/core/time.js';

/** The real time, and what a test adds to it. */
export class AheadClock extends Clock {
  override aheadMs = 0;

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
