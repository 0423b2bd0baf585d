import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/time.js';

/** Milliseconds for which deliveries of an event are attempted. */
export const TRIED_MS = DAY_MS;

/** Pauses after the first, second, … failed attempt, in milliseconds; the last one repeats itself. */
const PAUSES: readonly number[] = [20_000, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS];
/** Share of a pause by which it is lengthened at random at most, so that many events are not repeated at once. */
const SPREAD = 0.2;

/**
 * The pause after a failed attempt, in milliseconds.
 * @param attempts number of attempts up to now
 * @param random in [0, 1)
 */
export const pauseAfter = (attempts: number, random: number): number =>
  Math.round(PAUSES[Math.min(attempts, PAUSES.length) - 1]! * (1 + SPREAD * random));
