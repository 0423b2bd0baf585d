import { Logger } from '@nestjs/common';
import type { Clock } from '../core/time.js';
import { boundedWait, type WaitObserver } from './bounded-wait.js';

/** Longest that a request waits for Redis, in milliseconds (docs/operate/runbook.md). */
const PATIENCE_MS = 100;
/** Milliseconds for which counting stays local after Redis failed, so that not every request waits for it. */
const PAUSE_MS = 1_000;
/** Timers may fire this much before the clock shows it, in milliseconds. Chosen. */
const EARLY_MS = 5;
/**
 * Consecutive failures after which the connection is made anew: otherwise a silently lost one stays unnoticed for
 * minutes.
 */
const FAILURES_MAX = 3;

/** Availability of Redis over one connection, for all of its users. */
export class RedisOutage implements WaitObserver {
  private readonly logger = new Logger('limits');
  private readonly listeners: (() => void)[] = [];
  private pausedUntil = -Infinity;
  private failures = 0;
  /** Failures since anything was last received on the connection. */
  private silentFailures = 0;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** @param patienceMs longest wait for an answer, in milliseconds */
  constructor(
    private readonly clock: Clock,
    private readonly reconnect: () => void = () => undefined,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /** Redis must not be called now. */
  get isPaused(): boolean {
    const leftMs = this.pausedUntil - this.clock.now();
    // A clock that was set back must not make the pause longer.
    return leftMs > 0 && leftMs <= PAUSE_MS;
  }

  /** @param listener called at the end of each pause: local counts can be sent */
  onPauseEnd(listener: () => void): void {
    this.listeners.push(listener);
  }

  /**
   * Waits for an answer no longer than a request may.
   * @throws Unanswered, or what the answer rejects with; either counts as a failure
   */
  answerOf<T>(answer: Promise<T>): Promise<T> {
    return boundedWait(answer, this.patienceMs, this);
  }

  answered(): void {
    this.failures = 0;
    this.silentFailures = 0;
  }

  /** An answer came after its time-out: the connection works, though slowly. */
  answeredLate(): void {
    this.silentFailures = 0;
  }

  failed(): void {
    // Many calls may have waited for the same failure.
    if (this.isPaused || this.isClosed) return;
    this.pausedUntil = this.clock.now() + PAUSE_MS;
    // Once per outage, and without the error, which may contain the address of the server.
    if (this.failures === 0) this.logger.warn('Redis does not answer; limits are counted in this process.');
    this.failures++;
    this.silentFailures++;
    if (this.silentFailures % FAILURES_MAX === 0) this.reconnect();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.listeners.forEach((listener) => listener()), PAUSE_MS + EARLY_MS).unref();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }
}
