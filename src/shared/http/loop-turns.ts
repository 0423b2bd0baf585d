import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';

/** After that the event loop has its turn. Chosen: others wait for one such turn between two steps of theirs. */
const TURN_MS = 2;

/**
 * Small steps of many, one after the other, whoever else is served between: how much there is to do is somebody else's
 * choice. Not least are connections accepted meanwhile, of which each turn of the event loop accepts one.
 */
export class LoopTurns {
  private readonly due: (() => void)[] = [];
  private isRunning = false;

  /** Has the step done when its turn has come. It does not throw. */
  add(step: () => void): void {
    this.due.push(step);
    if (!this.isRunning) void this.run();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.due.length > 0) {
      await yieldToEventLoop();
      const until = performance.now() + TURN_MS;
      do this.due.shift()?.();
      while (this.due.length > 0 && performance.now() < until);
    }
    this.isRunning = false;
  }
}
