import { setImmediate } from 'node:timers';

/** Milliseconds of statements in a row after which other events come first. Chosen: most statements are shorter. */
const TURN_MS = 2;

/**
 * The embedded engine runs in this process and answers without a turn of the event loop, so work of many statements
 * would delay everything else until it ends. Here it leaves a turn to others whenever it has run for a while.
 */
export class EngineTurns {
  /** When the first statement of this turn began; undefined: none has begun in it. */
  private beganAt: number | undefined;
  private readonly reset = (): void => {
    this.beganAt = undefined;
  };

  begin(): void {
    if (this.beganAt !== undefined) return;
    this.beganAt = performance.now();
    setImmediate(this.reset);
  }

  /**
   * Called at the end of a statement. Its answer waits for the returned promise, which is the next turn; undefined: it
   * does not wait.
   */
  end(): Promise<void> | undefined {
    if (this.beganAt === undefined || performance.now() - this.beganAt <= TURN_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
