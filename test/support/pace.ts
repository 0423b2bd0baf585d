const ROUNDS = 15;
const STEPS = 200_000;
/** What one round takes on the machine on which the bounds of the speed specs were set, in milliseconds. */
const USUAL_MS = 0.9;

/**
 * How many times slower than usual this machine is just now, at least 1: bounds of speed specs are multiplied by it, so
 * that a small or a busy machine is no failure and a slow piece of code still is one.
 */
export function slowness(): number {
  const text = someText();
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) best = Math.min(best, msOf(text, 1));
  return Math.max(1, best / USUAL_MS);
}

/** Rounds of a step of about 25 ms. */
const STEP_ROUNDS = 28;

/**
 * The same for steps of tens of milliseconds, which a busy machine interrupts where it leaves a short one whole. Asked
 * once beside each try of what is measured, it is fair: the best of as many tries.
 */
export class StepPace {
  private readonly text = someText();
  private best = Infinity;

  /** At least 1; of the best of all times that this was asked. */
  slowness(): number {
    this.best = Math.min(this.best, msOf(this.text, STEP_ROUNDS));
    return Math.max(1, this.best / (STEP_ROUNDS * USUAL_MS));
  }
}

const someText = (): string =>
  JSON.parse(JSON.stringify('the quick brown fox jumps over 漢字 '.repeat(STEPS / 34))) as string;

function msOf(text: string, rounds: number): number {
  let sum = 0;
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round++)
    for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) | 0;
  // Told to somebody, so that the loop cannot be left out.
  return performance.now() - startedAt + (sum === 0.5 ? 1 : 0);
}

const TRIES_MAX = 5;

/**
 * Milliseconds of the fastest of some runs, which end with the first below the bound: other work may slow
 * one, but makes none faster.
 */
export function fastest(act: () => void, boundMs: number): number {
  let best = Infinity;
  for (let run = 0; run < TRIES_MAX && best >= boundMs; run++) {
    const startedAt = performance.now();
    act();
    best = Math.min(best, performance.now() - startedAt);
  }
  return best;
}
