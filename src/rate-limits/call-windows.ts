import type { LRUCache } from 'lru-cache';
import type { Caller } from '../core/caller.js';
import { MINUTE_MS, type Clock } from '../core/time.js';
import { recentlyUsed } from '../shared/recently-used.js';
import type { Rate } from '../shared/variables/grammars.js';
import type { FloodRates, FloodRefusal } from './flood-storage.js';

/** Keys, and groups of keys, that are counted at one time: as many as are cached. */
const KEPT_MAX = 40_000;

/** Milliseconds after its last call for which a key contends with the others of its account. */
export const CONTENTION_MS = 10 * MINUTE_MS;

/** The share of a key under contention in a limit of its account: half, and one at least. */
export const shareOf = (limit: number): number => Math.max(1, Math.floor(limit / 2));

/**
 * The group of keys that are counted together. Management has a separate window, so that neither kind of flood locks
 * out the other.
 */
export const groupOf = ({ accountId, kind }: Caller): string =>
  kind === 'management' ? `${accountId}:management` : accountId;

/** Hits since the window began. Times are epoch milliseconds. */
interface Window {
  hits: number;
  endsAt: number;
}

/** State of a window: how many hits, and the time that is left, in milliseconds. */
export interface WindowCount {
  readonly hits: number;
  readonly leftMs: number;
}

/** The counts of all replicas together, as returned for one request of a key. */
export interface SharedCounts {
  /** Milliseconds since a call of another key of its group; infinite where none did. */
  readonly othersMs: number;
  readonly group: WindowCount;
  readonly key: WindowCount;
  readonly wasted: WindowCount;
}

/** Calls of all keys of an account, and which of them called last. */
interface Group extends Window {
  /** Hash of the key that called last. */
  latest: string;
  latestAt: number;
  /** When any other key called last. */
  othersAt: number;
}

/** Calls of one key. */
interface Key extends Window {
  wasted: number;
  wastedEndsAt: number;
}

/**
 * Calls of the keys of accounts, counted in this process by the rules of the Redis scripts, in bounded memory: past the
 * bound the key that has not called for longest is forgotten, since its window has most likely ended. Only valid keys
 * are counted, so that unauthenticated requests cannot push one out.
 */
export class CallWindows {
  private readonly groups: LRUCache<string, Group>;
  private readonly keys: LRUCache<string, Key>;

  constructor(
    private readonly clock: Clock,
    keptMax = KEPT_MAX,
  ) {
    this.groups = recentlyUsed(keptMax);
    this.keys = recentlyUsed(keptMax);
  }

  /** Keys and groups that are stored. */
  get size(): number {
    return this.groups.size + this.keys.size;
  }

  count(caller: Caller, { account, wasted }: FloodRates): FloodRefusal | undefined {
    const now = this.clock.now();
    const half = shareOf(account.limit);
    const group = this.meet(caller, now, half);
    const key = this.keys.get(caller.keyHash) ?? this.begin(caller);
    const wastedMs = key.wastedEndsAt - now;
    if (key.wasted >= wasted.limit && wastedMs > 0) return { limit: 'wasted', retryAfterMs: wastedMs };
    const share = now - group.othersAt < CONTENTION_MS ? half : Infinity;
    if (hit(key, share, account.windowMs, now)) return { limit: 'share', retryAfterMs: key.endsAt - now };
    if (hit(group, account.limit, account.windowMs, now)) return { limit: 'account', retryAfterMs: group.endsAt - now };
    return undefined;
  }

  waste(caller: Caller, { limit, windowMs }: Rate, times = 1): void {
    const now = this.clock.now();
    const key = this.keys.get(caller.keyHash) ?? this.begin(caller);
    if (key.wastedEndsAt <= now) {
      key.wasted = 0;
      key.wastedEndsAt = now + windowMs;
    }
    const isPast = key.wasted >= limit;
    key.wasted += times;
    if (!isPast && key.wasted >= limit) key.wastedEndsAt = now + windowMs;
  }

  hasContention(caller: Caller): boolean {
    const group = this.groups.get(groupOf(caller));
    if (!group) return false;
    return isRecent(group.latest === caller.keyHash ? group.othersAt : group.latestAt, this.clock.now());
  }

  /**
   * Sets the counts of a key and its group to those of all replicas, so that local counting continues from there. They
   * are given as time spans, because clocks differ.
   */
  learn(caller: Caller, { othersMs, group: ofGroup, key: ofKey, wasted }: SharedCounts): void {
    const now = this.clock.now();
    const group = this.meet(caller, now, Infinity);
    group.othersAt = Math.max(group.othersAt, now - othersMs);
    group.hits = ofGroup.hits;
    group.endsAt = now + ofGroup.leftMs;
    const key = this.keys.get(caller.keyHash) ?? this.begin(caller);
    key.hits = ofKey.hits;
    key.endsAt = now + ofKey.leftMs;
    key.wasted = wasted.hits;
    key.wastedEndsAt = now + wasted.leftMs;
  }

  /** @param share maximum number of requests that stay counted for a key when a second key joins it */
  private meet(caller: Caller, now: number, share: number): Group {
    const id = groupOf(caller);
    let group = this.groups.get(id);
    if (!group) {
      group = { hits: 0, endsAt: 0, latest: caller.keyHash, latestAt: now, othersAt: -Infinity };
      this.groups.set(id, group);
    } else if (group.latest !== caller.keyHash) {
      // When a second key joins, it gets half of the window even if the first key has used more.
      if (!isRecent(group.othersAt, now)) group.hits = Math.min(group.hits, share);
      group.othersAt = group.latestAt;
      group.latest = caller.keyHash;
    }
    group.latestAt = now;
    return group;
  }

  private begin({ keyHash }: Caller): Key {
    const key: Key = { hits: 0, endsAt: 0, wasted: 0, wastedEndsAt: 0 };
    this.keys.set(keyHash, key);
    return key;
  }
}

const isRecent = (at: number, now: number): boolean => now - at < CONTENTION_MS;

/** @returns whether it is past the limit; the first hit past it begins the time of refusal */
function hit(window: Window, limit: number, windowMs: number, now: number): boolean {
  if (window.endsAt <= now) {
    window.hits = 0;
    window.endsAt = now + windowMs;
  }
  window.hits++;
  if (window.hits === limit + 1) window.endsAt = now + windowMs;
  return window.hits > limit;
}
