import { yieldToEventLoop } from '../core/yield-to-event-loop.js';

/**
 * The turns of all scans of a process: one after the other, with everything else that has come between any two of
 * them. However many requests are read through at once, others wait for one step, and not for one step of each.
 */
export class ScanTurns {
  private last: Promise<void> = Promise.resolve();

  /** Resolves when it is the asker's turn. */
  next(): Promise<void> {
    this.last = this.last.then(yieldToEventLoop);
    return this.last;
  }
}
