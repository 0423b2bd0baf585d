import { monitorEventLoopDelay } from 'node:perf_hooks';
import { StepPace } from '../support/cpu-time.js';
import type { PeerThread, Order, Outcome } from './peer-thread.js';

/** Latest that the loop may be, in milliseconds on the usual machine. */
export const DELAY_MS_MAX = 50;
/** A delay that is not the request's own does not come back so often. */
const TRIES_MAX = 5;
/** A delay of this length can only come from the request. */
const HOPELESS_MS = 1_000;

/** The largest delay of the loop while the orders were answered, in milliseconds. */
export async function watchLoop(
  peerThread: PeerThread,
  orders: readonly Order[],
): Promise<{ delayMs: number; outcomes: readonly Outcome[] }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const outcomes = await peerThread.send(orders);
  delay.disable();
  return { delayMs: delay.max / 1e6, outcomes };
}

/**
 * The least delay of some tries, if none is in time, and the bound by what the machine does to a step of that length
 * meanwhile.
 */
export async function delayDuring(
  peerThread: PeerThread,
  order: Order,
): Promise<{ delayMs: number; boundMs: number; outcome: Outcome }> {
  const pace = new StepPace();
  let best = Infinity;
  for (let tries = 1; ; tries++) {
    const { delayMs, outcomes } = await watchLoop(peerThread, [order]);
    best = Math.min(best, delayMs);
    const boundMs = DELAY_MS_MAX * (best < DELAY_MS_MAX ? 1 : pace.slowness());
    if (best < boundMs || best > HOPELESS_MS || tries === TRIES_MAX)
      return { delayMs: best, boundMs, outcome: outcomes[0]! };
  }
}
