import type { LRUCache } from 'lru-cache';
import type { Caller } from '../core/caller.js';
import { MINUTE_MS, type Clock } from '../core/time.js';
import { recentlyUsed } from '../shared/recently-used.js';
import type { Rate } from '../shared/variables/grammars.js';
import type { FloodRates, FloodRefusal } from './flood-storage.js';

/** Keys, and groups of them, that are counted at one time: as many as are cached. */
const KEPT_MAX = 40_000;

/** How long a key that called is company for the others of its account. */
export const COMPANY_MS = 10 * MINUTE_MS;

/** What a key in company has of a limit of its account: half, and one at least. */
export const shareOf = (limit: number): number => Math.max(1, Math.floor(limit / 2));

/** Which keys are counted together. Management has a window of its own: neither kind of flood locks out the other. */
export const groupOf = ({ accountId, kind }: Caller): string =>
  kind === 'management' ? `${accountId}:management` : accountId;

/** Hits since it began. Times are epoch milliseconds. */
interface Window {
  hits: number;
  endsAt: number;
}

/** What is counted of a window: how often, and for how long yet, in milliseconds. */
export interface WindowCount {
  readonly hits: number;
  readonly leftMs: number;
}

/** What all replicas together have counted, as one request of a key was told. */
export interface SharedCounts {
  /** How long ago another key of its group called; infinite where none did. */
  readonly othersMs: number;
  readonly group: WindowCount;
  readonly key: WindowCount;
  readonly wasted: WindowCount;
}

/** What all keys of an account have called, and which of them. */
interface Group extends Window {
  /** Hash of the key that called last. */
  latest: string;
  latestAt: number;
  /** When any other key called last. */
  othersAt: number;
}

/** What one key has called. */
interface Key extends Window {
  wasted: number;
  wastedEndsAt: number;
}

/**
 * What the keys of accounts call, counted in this process by the rules of the scripts that count in Redis, in bounded
 * memory: past the bound the one is forgotten that has not called for longest, whose window has most likely ended. No
 * stranger can push one out, since only valid keys are counted.
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

  /** Keys and groups kept. */
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
    const share = now - group.othersAt < COMPANY_MS ? half : Infinity;
    if (hit(key, share, account.windowMs, now)) return { limit: 'share', retryAfterMs: key.endsAt - now };
    if (hit(group, account.limit, account.windowMs, now)) return { limit: 'account', retryAfterMs: group.endsAt - now };
    return undefined;
  }

  waste(caller: Caller, { limit, windowMs }: Rate): void {
    const now = this.clock.now();
    const key = this.keys.get(caller.keyHash) ?? this.begin(caller);
    if (key.wastedEndsAt <= now) {
      key.wasted = 0;
      key.wastedEndsAt = now + windowMs;
    }
    key.wasted++;
    if (key.wasted === limit) key.wastedEndsAt = now + windowMs;
  }

  hasCompany(caller: Caller): boolean {
    const group = this.groups.get(groupOf(caller));
    if (!group) return false;
    return isRecent(group.latest === caller.keyHash ? group.othersAt : group.latestAt, this.clock.now());
  }

  /**
   * Sets what is counted of a key and its group to what all replicas together have counted, so that counting here goes
   * on from there. Only spans are told, for clocks differ.
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

  /** @param share at most so many requests of a key that was alone stay counted when another one joins it */
  private meet(caller: Caller, now: number, share: number): Group {
    const id = groupOf(caller);
    let group = this.groups.get(id);
    if (!group) {
      group = { hits: 0, endsAt: 0, latest: caller.keyHash, latestAt: now, othersAt: -Infinity };
      this.groups.set(id, group);
    } else if (group.latest !== caller.keyHash) {
      // Whoever joins a key that was alone finds the other half, whatever that one has asked.
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

const isRecent = (at: number, now: number): boolean => now - at < COMPANY_MS;

/** @returns whether it is past the limit; the first that is begins the time of refusal */
function hit(window: Window, limit: number, windowMs: number, now: number): boolean {
  if (window.endsAt <= now) {
    window.hits = 0;
    window.endsAt = now + windowMs;
  }
  window.hits++;
  if (window.hits === limit + 1) window.endsAt = now + windowMs;
  return window.hits > limit;
}
