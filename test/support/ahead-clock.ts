import { Clock } from '../../src/core/time.js';

/** The real time, and what a test adds to it. */
export class AheadClock extends Clock {
  override aheadMs = 0;

  override now(): number {
    return Date.now() + this.aheadMs;
  }
}
