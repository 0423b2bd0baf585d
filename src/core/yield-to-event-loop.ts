import { setImmediate } from 'node:timers/promises';

/** Of what is so long, in bytes or characters, others have their turn between the steps of its way. */
export const LARGE = 1024 * 1024;

/**
 * Of one piece of what is large, in bytes or characters. Texts of twice that and more are memory by themselves in the
 * engine, which is dear to get and to give back.
 */
export const PIECE = 60 * 1024;

/**
 * Of one turn that goes to large work: no step begins after it. Others wait for one such turn between two of theirs.
 */
const TURN_MS = 2;

/** Those whose large work is to go on, the longest waiting first. */
const waiting: (() => void)[] = [];
let isRunning = false;

/**
 * Lets whatever else has come be read and answered before work goes on. All large work of the process goes on by turns:
 * however much of it is under way, others wait for a step or two of it and not for one of each, and connections are
 * still accepted, one in each turn of the event loop.
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
    // Twice, because the first turn after a socket was read comes before any other socket is looked at.
    await setImmediate();
    await setImmediate();
    const until = performance.now() + TURN_MS;
    // Who comes back after a step is not among these.
    let due = waiting.length;
    do {
      waiting.shift()!();
      // What waited for that goes on before this does.
      await Promise.resolve();
    } while (--due > 0 && performance.now() < until);
  }
  isRunning = false;
}
