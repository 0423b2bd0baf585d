import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Caller } from '../core/caller.js';
import type { Clock } from '../core/time.js';
import type { Rate } from '../shared/variables/grammars.js';
import { CallWindows, type SharedCounts, type WindowCount } from './call-windows.js';
import { FloodStorage } from './flood-storage.js';

/** Counts of unauthenticated clients that are kept separately at one time. */
const KEYS_MAX = 10_000;

/** Between two scans for ended windows, in milliseconds: each visits all of them. */
const SWEEP_APART_MS = 1_000;

/** The key under which further keys are counted together, since so many at once are one attack. */
const OVERFLOW = 'overflow';

interface Window {
  hits: number;
  /** Epoch milliseconds. */
  endsAt: number;
}

/**
 * Counts in this process, in bounded memory whatever the number of keys: a window each, from its first hit on, by the
 * rules of the Redis script. The library's own storage keeps a timer for every hit, which fifty thousand hits in ten
 * seconds rule out.
 */
export class LocalThrottlerStorage extends FloodStorage {
  private readonly windows = new Map<string, Window>();
  override readonly countRequest: CallWindows['count'];
  private readonly calls: CallWindows;
  private sweptAt = -Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly keysMax = KEYS_MAX,
  ) {
    super();
    this.calls = new CallWindows(clock);
    this.countRequest = this.calls.count.bind(this.calls);
  }

  get size(): number {
    return this.windows.size;
  }

  override countWaste(caller: Caller, rate: Rate, times = 1): void {
    this.calls.waste(caller, rate, times);
  }

  override hasContention(caller: Caller): boolean {
    return this.calls.hasContention(caller);
  }

  /** As `CallWindows.learn`. */
  learn(caller: Caller, counts: SharedCounts): void {
    this.calls.learn(caller, counts);
  }

  /** Sets a window to the counts of all replicas, where there is capacity to count it separately. */
  learnWindow(key: string, throttlerName: string, { hits, leftMs }: WindowCount): void {
    const now = this.clock.now();
    const countedAs = `${throttlerName} ${key}`;
    if (this.hasRoomFor(countedAs, now)) this.windows.set(countedAs, { hits, endsAt: now + leftMs });
  }

  override async increment(
    key: string,
    ttlMs: number,
    limit: number,
    blockMs: number,
    throttlerName: string,
  ): ReturnType<ThrottlerStorage['increment']> {
    const now = this.clock.now();
    const countedAs = `${throttlerName} ${key}`;
    const known = this.windows.get(countedAs);
    const window = known && known.endsAt > now ? known : this.begin(countedAs, throttlerName, now + ttlMs, now);
    window.hits++;
    // The hit past the limit begins the time of refusal.
    if (window.hits === limit + 1 && blockMs > 0) window.endsAt = now + blockMs;
    const seconds = Math.max(0, Math.ceil((window.endsAt - now) / 1000));
    const isBlocked = window.hits > limit;
    return { totalHits: window.hits, timeToExpire: seconds, isBlocked, timeToBlockExpire: isBlocked ? seconds : 0 };
  }

  /** A window of this key, or, past the bound, the one shared by all further keys. */
  private begin(key: string, throttlerName: string, endsAt: number, now: number): Window {
    const countedAs = this.hasRoomFor(key, now) ? key : `${throttlerName} ${OVERFLOW}`;
    const overflow = countedAs === key ? undefined : this.windows.get(countedAs);
    if (overflow && overflow.endsAt > now) return overflow;
    const window = { hits: 0, endsAt };
    this.windows.set(countedAs, window);
    return window;
  }

  private hasRoomFor(countedAs: string, now: number): boolean {
    if (this.windows.has(countedAs)) return true;
    if (this.windows.size >= this.keysMax) this.sweep(now);
    return this.windows.size < this.keysMax;
  }

  private sweep(now: number): void {
    const sinceMs = now - this.sweptAt;
    // A clock that was set back must not delay it.
    if (sinceMs >= 0 && sinceMs < SWEEP_APART_MS) return;
    this.sweptAt = now;
    for (const [key, { endsAt }] of this.windows) if (endsAt <= now) this.windows.delete(key);
  }
}
