/** The current time. Tests move it by hand; nothing else in the service reads the system clock for a decision. */
export abstract class Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  abstract now(): number;

  /**
   * Milliseconds that this clock is ahead of the system's clock. Times that the database supplies are moved by the same
   * amount.
   */
  readonly aheadMs: number = 0;
}

export class SystemClock extends Clock {
  override now(): number {
    return Date.now();
  }
}

/**
 * Whole milliseconds since the process began, for durations. An object stores a small integer directly, but a fraction
 * in a separate heap number, which a stream would have to read for each of its events.
 */
export const elapsedMs = (): number => Math.trunc(performance.now());

/** Intervals after which a limit is reset; `lifetime` is never reset. */
export const INTERVALS = ['daily', 'weekly', 'monthly', 'lifetime'] as const;
export type Interval = (typeof INTERVALS)[number];

/** The intervals with a reset. */
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

/** Rounds to tenths of a millisecond. */
export const tenths = (ms: number): number => Math.round(ms * 10) / 10;
