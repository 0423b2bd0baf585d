import { yieldToEventLoop } from './yield-to-event-loop.js';

/** Work in steps of a millisecond or two, between which others may have their turn, and what comes of it. */
export type Steps<Result> = Generator<void, Result, void>;

/** What comes of the work: at once where it is one step, else by turns with all other large work. */
export function doInTurns<Result>(steps: Steps<Result>): Result | Promise<Result> {
  const first = steps.next();
  return first.done ? first.value : goOn(steps);
}

async function goOn<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await yieldToEventLoop();
    const step = steps.next();
    if (!step.done) continue;
    // Whatever comes next is not part of the last step.
    await yieldToEventLoop();
    return step.value;
  }
}

/** What comes of the work, all of it in this turn. */
export function doAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Blocks, calls or values of one step: each takes some microseconds at most. */
const STEP_ITEMS = 500;

/** Counts what is done of many small things, and tells when a step of them is over. */
export class StepCounter {
  private left = STEP_ITEMS;

  /** @param items that were done since it was asked last */
  isOver(items = 1): boolean {
    this.left -= items;
    if (this.left > 0) return false;
    this.left = STEP_ITEMS;
    return true;
  }
}

/** Text of one step, in bytes: less than a millisecond's work. */
const STEP_BYTES = 1024 * 1024;

/** The same of what may be long texts too. */
export class TextStepCounter {
  private readonly items = new StepCounter();
  private bytes = 0;

  /** @param bytes of text that were read or written since it was asked last */
  isOver(bytes = 0): boolean {
    this.bytes += bytes;
    if (!this.items.isOver() && this.bytes < STEP_BYTES) return false;
    this.bytes = 0;
    return true;
  }
}
