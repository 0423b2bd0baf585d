const ROUNDS = 15;
const STEPS = 200_000;
/** What one round takes on the machine on which the bounds of the speed specs were set, in milliseconds. */
const USUAL_MS = 0.9;

/**
 * How many times slower than usual this machine is just now, at least 1: bounds of speed specs are multiplied by it, so
 * that a small or a busy machine is no failure and a slow piece of code still is one.
 */
export function slowness(): number {
  const text = JSON.parse(JSON.stringify('the quick brown fox jumps over 漢字 '.repeat(STEPS / 34))) as string;
  let best = Infinity;
  let sum = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) | 0;
    best = Math.min(best, performance.now() - startedAt);
  }
  // Told to somebody, so that the loop cannot be left out.
  return Math.max(1, best / USUAL_MS, sum === 0.5 ? 1 : 0);
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
