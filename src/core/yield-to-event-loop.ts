import { setImmediate } from 'node:timers/promises';

/** Bytes or characters from which on work yields to the event loop between its steps. */
export const LARGE = 1024 * 1024;

/**
 * Bytes or characters of one piece of large work. Strings of twice that and more are separate allocations in the
 * engine, which are expensive to make and to free.
 */
export const PIECE = 60 * 1024;

/**
 * Milliseconds of one turn that go to large work: no step begins after that. Other work waits for one such turn between
 * two of its own.
 */
const TURN_MS = 2;

/** The continuations of large work, the longest waiting first. */
const waiting: (() => void)[] = [];
let isRunning = false;

/**
 * Lets other events be processed before the work continues. All large work of the process takes turns: however much of
 * it runs, other work waits for a step or two of it and not for one of each, and connections are still accepted, one in
 * each turn of the event loop.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!isRunning) void run();
  });
}

async function run(): Promise<void> {
  isRunning = true;
  while (waiting.length > 0) {
    // Twice, because the first turn after a read of a socket comes before any other socket is polled.
    await setImmediate();
    await setImmediate();
    const until = performance.now() + TURN_MS;
    // Work that comes back after a step is not among these.
    let due = waiting.length;
    do {
      waiting.shift()!();
      // The continuation runs before the next one is released.
      await Promise.resolve();
    } while (--due > 0 && performance.now() < until);
  }
  isRunning = false;
}
