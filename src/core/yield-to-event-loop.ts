import { setImmediate } from 'node:timers/promises';

/** Of what is so long, in bytes or characters, others have their turn between the steps of its way. */
export const LARGE = 1024 * 1024;

/**
 * Of one piece of what is large, in bytes or characters. Texts of twice that and more are memory by themselves in the
 * engine, which is dear to get and to give back.
 */
export const PIECE = 60 * 1024;

/**
 * Lets whatever else has come be read and answered before work goes on. Twice, because the first turn after a socket
 * was read comes before any other socket is looked at.
 */
export async function yieldToEventLoop(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
