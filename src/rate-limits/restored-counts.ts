import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/time.js';
import { MARK_KEY, minuteKeyOf, type LimitScripts } from './limit-scripts.js';
import type { LocalLimitCounts, SharedMinute } from './local-limit-counts.js';
import type { RedisOutage } from './redis-outage.js';

/** Minutes restored at once, so that no batch keeps Redis busy. */
const SENT_MAX = 500;

/**
 * Restores the counts of the current minute in a Redis that has lost them, for example by a restart: each process
 * restores what Redis had counted for it. Looked at once for each connection, never for a request.
 */
export class RestoredCounts {
  private readonly process = randomUUID();
  /** Mark of the contents that Redis had at the last look. */
  private mark: unknown;
  private lookups = 0;
  private isUnknown = false;

  /** @param restored called after each look that has succeeded */
  constructor(
    private readonly redis: LimitScripts,
    private readonly outage: RedisOutage,
    private readonly local: LocalLimitCounts,
    private readonly clock: Clock,
    private readonly restored: () => void,
  ) {
    // No claim may precede the look on a new connection.
    redis.on('connect', () => void (this.isUnknown = this.mark !== undefined));
    redis.on('ready', () => void this.look());
    redis.on('close', () => {
      this.lookups++;
      this.isUnknown = false;
    });
    outage.onPauseEnd(() => {
      if (this.isUnknown) void this.look();
    });
    // Redis may be connected already.
    void this.look();
  }

  /** Redis is connected again, and may lack what it had. */
  get isPending(): boolean {
    return this.isUnknown;
  }

  private async look(): Promise<void> {
    const look = ++this.lookups;
    const { minuteNow: minute, shared } = this.local;
    try {
      const mark = await this.redis.keepMark(MARK_KEY, randomUUID());
      const isLost = this.mark !== undefined && this.mark !== mark;
      for (let start = 0; start < shared.length; start += SENT_MAX) {
        const some = shared.slice(start, start + SENT_MAX);
        await Promise.all(some.map(([subject, counted]) => this.restore(subject, minute, counted, isLost)));
      }
      if (look !== this.lookups) return;
      this.mark = mark;
      if (!this.isUnknown) return;
      this.isUnknown = false;
      this.restored();
    } catch {
      // Looked at again after the pause, or on the next connection.
      if (this.isPending && look === this.lookups) this.outage.failed();
    }
  }

  private restore(
    subject: string,
    minute: number,
    { requests, tokens, parts = NO_PARTS, seen }: SharedMinute,
    isLost: boolean,
  ): Promise<unknown> {
    const counts = [requests, seen, tokens, ...[...parts].flat()];
    const { aheadMs } = this.clock;
    return this.redis.restoreMinute(minuteKeyOf(subject), minute, aheadMs, this.process, isLost ? 1 : 0, ...counts);
  }
}

const NO_PARTS = new Map<string, number>();
