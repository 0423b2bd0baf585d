import type { Clock } from '../../core/time.js';
import { recentlyUsed } from '../recently-used.js';

const INTERVAL_MS = 10_000;
const KEYS_MAX = 1000;

interface LastLine {
  at: number;
  suppressed: number;
}

/**
 * Admits a message at most once in ten seconds and counts the suppressed ones: an outage must not flood the log with
 * one line. Remembers the last thousand keys. Safe to share.
 */
export class RepeatedLog {
  private readonly seen = recentlyUsed<string, LastLine>(KEYS_MAX);

  constructor(
    private readonly clock: Clock,
    private readonly intervalMs = INTERVAL_MS,
  ) {}

  /**
   * Whether a message may be written now.
   * @returns how many were suppressed since the last one, or undefined when this one is suppressed
   */
  admit(key: string): number | undefined {
    const now = this.clock.now();
    const seen = this.seen.get(key);
    if (!seen) {
      this.seen.set(key, { at: now, suppressed: 0 });
      return 0;
    }
    // A clock that was set back must not silence a message for longer than the interval.
    if (now - seen.at < this.intervalMs && now >= seen.at) {
      seen.suppressed++;
      return undefined;
    }
    const { suppressed } = seen;
    seen.at = now;
    seen.suppressed = 0;
    return suppressed;
  }
}
