import { setTimeout as pause } from 'node:timers/promises';

const STEPS = 200_000;
/** Duration of one round on the machine on which the bounds of the speed specs were set, in milliseconds. */
const USUAL_MS = 0.9;
/** Rounds of a step of about 25 ms: shorter ones are too imprecise for the measured tens of milliseconds. */
const STEP_ROUNDS = 28;
/** Objects of a step that allocates memory: concurrent load slows allocation down differently from computation. */
const OBJECTS = 16_000;
/** Duration of that step on the same machine, in milliseconds. */
const USUAL_OBJECTS_MS = 16;
/** Pieces that are joined to a text of 8 MiB: its memory is new, so that the kernel provides it page by page. */
const JOINED = Array.from({ length: 256 }, (_, index) => `${index}`.padEnd(32 * 1024, 'x'));
/**
 * Duration of the join, in milliseconds: 2 microseconds a page of 4 KiB. A virtual machine without large pages was
 * measured at 13 (docs/contribute/testing.md).
 */
const USUAL_JOINED_MS = 4;
const TRIES_MAX = 8;
/** Pause after the first try, growing by as much after each: other load has time to end. */
const PAUSE_MS = 100;

/**
 * Computed milliseconds from now on. While other processes use the core, the clock advances and the process time does
 * not; while threads of the process compute in parallel, its own time advances faster than the clock.
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

/** Duration of an unimpeded turn, in milliseconds. */
const TURN_MS = 10;

/**
 * Milliseconds from now on, without stalls of the event loop: for intervals of the program's own timers, which end late
 * where others use the cores.
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

/** Computed milliseconds of the work. */
export function computedMs(act: () => void): number {
  const read = stopwatch();
  act();
  return read();
}

/**
 * The minimum of several tries, in milliseconds at the usual pace: other load may slow a try down, but never speeds it
 * up. Ends with the first try below the bound; one above it is divided by the slowness of the machine at that time.
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

/** By what factor this machine is slower than usual now, at least 1. */
function slowness(): number {
  return Math.max(
    1,
    stepMs(someText()) / (STEP_ROUNDS * USUAL_MS),
    objectsMs() / USUAL_OBJECTS_MS,
    joinedMs() / USUAL_JOINED_MS,
  );
}

/**
 * Pace by the clock, for work of another process. Measured once beside each try, it is fair: the best of as many tries.
 */
export class StepPace {
  private readonly text = someText();
  private best = Infinity;

  /** At least 1; the minimum of all calls. */
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

function joinedMs(): number {
  const read = stopwatch();
  const { length } = JOINED.join('');
  return read() + (length === 0 ? 1 : 0);
}

function stepMs(text: string): number {
  const read = stopwatch();
  let sum = 0;
  for (let round = 0; round < STEP_ROUNDS; round++)
    for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) | 0;
  // The result is used, so that the loop cannot be optimised away.
  return read() + (sum === 0.5 ? 1 : 0);
}
