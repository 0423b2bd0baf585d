/** The current time. Tests move it by hand; nothing else in the service reads the system clock for a decision. */
export abstract class Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  abstract now(): number;

  /** How far it runs ahead of the system's, in milliseconds. What the database tells the time for is moved as far. */
  readonly aheadMs: number = 0;
}

export class SystemClock extends Clock {
  override now(): number {
    return Date.now();
  }
}

/**
 * Milliseconds since the process began, whole ones: for spans. An object holds a small integer itself, but a fraction
 * in a box beside it, which a stream of events that come one by one would have to fetch for each.
 */
export const elapsedMs = (): number => Math.trunc(performance.now());

/** How often a limit begins anew; `lifetime` never does. */
export const INTERVALS = ['daily', 'weekly', 'monthly', 'lifetime'] as const;
export type Interval = (typeof INTERVALS)[number];

/** Those that begin anew. */
export const RESET_INTERVALS = ['daily', 'weekly', 'monthly'] as const satisfies readonly Interval[];

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Start of the UTC window that holds `at`. Weeks begin on Monday; the lifetime window begins in 1970. */
export function windowStart(interval: Interval, at: number): Date {
  const date = new Date(at);
  switch (interval) {
    case 'daily':
      return new Date(at - (((at % DAY_MS) + DAY_MS) % DAY_MS));
    case 'weekly': {
      const day = windowStart('daily', at);
      const daysSinceMonday = (day.getUTCDay() + 6) % 7;
      return new Date(day.getTime() - daysSinceMonday * DAY_MS);
    }
    case 'monthly':
      return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));
    case 'lifetime':
      return new Date(0);
  }
}
