import { setTimeout as pause } from 'node:timers/promises';

const STEPS = 200_000;
/** What one round takes on the machine on which the bounds of the speed specs were set, in milliseconds. */
const USUAL_MS = 0.9;
/** Rounds of a step of about 25 ms: shorter ones say little of the tens of milliseconds that are measured. */
const STEP_ROUNDS = 28;
/** Objects of a step that takes memory, which slows down otherwise than a computation while others use it too. */
const OBJECTS = 16_000;
/** What that step takes on the same machine, in milliseconds. */
const USUAL_OBJECTS_MS = 16;
const TRIES_MAX = 8;
/** After the first try, and as much more after each one: what was in the way has time to end. */
const PAUSE_MS = 100;

/**
 * Milliseconds from now on, as computed: while others have the core, the clock goes on and the process does not; while
 * threads of the process compute beside each other, its own time goes faster than the clock.
 */
export function stopwatch(): () => number {
  const usage = process.cpuUsage();
  const startedAt = performance.now();
  return () => {
    const elapsed = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(usage);
    return Math.min(elapsed, (user + system) / 1_000);
  };
}

/** What a turn takes that nothing holds up, in milliseconds. */
const TURN_MS = 10;

/**
 * Milliseconds from now on, less those in which nothing had its turn: for spans of the program's own timers, which end
 * late where others have the cores.
 */
export function turningTime(): () => number {
  let [turning, last] = [0, performance.now()];
  const turn = (): void => {
    const now = performance.now();
    turning += Math.min(now - last, 2 * TURN_MS);
    last = now;
  };
  const timer = setInterval(turn, TURN_MS);
  return () => {
    clearInterval(timer);
    turn();
    return turning;
  };
}

/** Milliseconds that the work computes. */
export function computedMs(act: () => void): number {
  const read = stopwatch();
  act();
  return read();
}

/**
 * The least of some tries, in milliseconds at the usual pace: other work on the machine may slow one down, but makes
 * none faster. Ends with the first below the bound; one above it is divided by how slow the machine was beside it.
 *
 * @param measure one try, in milliseconds of `stopwatch`
 */
export async function fastest(measure: () => number | Promise<number>, boundMs: number): Promise<number> {
  let best = Infinity;
  let slowBefore = 1;
  for (let run = 0; run < TRIES_MAX && best >= boundMs; run++) {
    if (run > 0) {
      await pause(PAUSE_MS * run);
      slowBefore = slowness();
    }
    const took = await measure();
    best = Math.min(best, took < boundMs ? took : took / Math.max(slowBefore, slowness()));
  }
  return best;
}

/** How many times slower than usual this machine computes just now, at least 1. */
function slowness(): number {
  return Math.max(1, stepMs(someText()) / (STEP_ROUNDS * USUAL_MS), objectsMs() / USUAL_OBJECTS_MS);
}

/**
 * The same by the clock, for what is asked from another process. Asked once beside each try of what is measured, it is
 * fair: the best of as many tries.
 */
export class StepPace {
  private readonly text = someText();
  private best = Infinity;

  /** At least 1; of the best of all times that this was asked. */
  slowness(): number {
    const startedAt = performance.now();
    stepMs(this.text);
    this.best = Math.min(this.best, performance.now() - startedAt);
    return Math.max(1, this.best / (STEP_ROUNDS * USUAL_MS));
  }
}

const someText = (): string =>
  JSON.parse(JSON.stringify('the quick brown fox jumps over 漢字 '.repeat(STEPS / 34))) as string;

const OBJECT = JSON.stringify({ type: 'delta', index: 0, delta: { text: 'x', parts: [{ index: 1 }, { index: 2 }] } });

function objectsMs(): number {
  const read = stopwatch();
  const kept = new Map<string, unknown>();
  for (let index = 0; index < OBJECTS; index++) kept.set(`object ${index}`, JSON.parse(OBJECT));
  return read() + (kept.size === 0 ? 1 : 0);
}

function stepMs(text: string): number {
  const read = stopwatch();
  let sum = 0;
  for (let round = 0; round < STEP_ROUNDS; round++)
    for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) | 0;
  // Told to somebody, so that the loop cannot be left out.
  return read() + (sum === 0.5 ? 1 : 0);
}
