import { setImmediate } from 'node:timers/promises';

/**
 * Lets whatever else has come be read and answered before work goes on. Twice, because the first turn after a socket was read comes
 * before any other socket is looked at.
 */
export async function othersTurn(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
