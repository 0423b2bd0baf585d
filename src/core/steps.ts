import { yieldToEventLoop } from './yield-to-event-loop.js';

/** Work in steps of a millisecond or two, which yields to other work after each step. */
export type Steps<Result> = Generator<void, Result, void>;

/** Runs the work: synchronous where it is one step, else in slices that alternate with all other large work. */
export function doInSlices<Result>(steps: Steps<Result>): Result | Promise<Result> {
  const first = steps.next();
  return first.done ? first.value : goOn(steps);
}

async function goOn<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await yieldToEventLoop();
    const step = steps.next();
    if (!step.done) continue;
    // The work that follows is not part of the last step.
    await yieldToEventLoop();
    return step.value;
  }
}

/** Runs the work without yielding to the event loop. */
export function doAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Blocks, calls or values of one step: each takes some microseconds at most. */
const STEP_ITEMS = 500;

/** Counts many small items, and reports when a step of them is over. */
export class StepCounter {
  private left = STEP_ITEMS;

  /** @param items done since the last call */
  isOver(items = 1): boolean {
    this.left -= items;
    if (this.left > 0) return false;
    this.left = STEP_ITEMS;
    return true;
  }
}

/** Text of one step, in bytes: less than a millisecond's work. */
const STEP_BYTES = 1024 * 1024;

/** A `StepCounter` for items that may be long texts. */
export class TextStepCounter {
  private readonly items = new StepCounter();
  private bytes = 0;

  /** @param bytes of text that were read or written since the last call */
  isOver(bytes = 0): boolean {
    this.bytes += bytes;
    if (!this.items.isOver() && this.bytes < STEP_BYTES) return false;
    this.bytes = 0;
    return true;
  }
}
