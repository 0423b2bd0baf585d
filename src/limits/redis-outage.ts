import { Logger } from '@nestjs/common';
import type { Clock } from '../core/time.js';

/** How long counting stays local after Redis failed, so that not every request waits for it. */
const PAUSE_MS = 1_000;
/**
 * Tries in a row that fail before the connection is made anew: one that was lost in silence is noticed by
 * nothing else for minutes.
 */
const FAILURES_MAX = 3;

/** How Redis answers over one connection, for all that share it. */
export class RedisOutage {
  private readonly logger = new Logger('limits');
  private pausedUntil = -Infinity;
  private failures = 0;

  constructor(
    private readonly clock: Clock,
    private readonly reconnect: () => void = () => undefined,
  ) {}

  /** Redis is not to be asked now. */
  get isPaused(): boolean {
    const leftMs = this.pausedUntil - this.clock.now();
    // A clock that was set back makes no longer pause.
    return leftMs > 0 && leftMs <= PAUSE_MS;
  }

  answered(): void {
    this.failures = 0;
  }

  failed(): void {
    // Many may have waited for the same failure.
    if (this.isPaused) return;
    this.pausedUntil = this.clock.now() + PAUSE_MS;
    // Once per outage, and without the error: it may hold the address of the server.
    if (this.failures === 0) this.logger.warn('Redis does not answer; limits are counted in this process.');
    this.failures++;
    if (this.failures % FAILURES_MAX === 0) this.reconnect();
  }
}
