import type { LRUCache } from 'lru-cache';
import type { Clock } from '../core/time.js';
import { recentlyUsed } from './recently-used.js';

/**
 * Age at which an answer is no longer used. A revocation must take effect within 5 s everywhere; the difference is for
 * the transport.
 */
export const AGE_MAX_MS = 4_000;
/** Age from which an answer in use is loaded again in the background. */
export const REFRESH_AGE_MS = 2_000;
/** Minimum interval between two such attempts for one key, in case the store does not answer. */
const REFRESH_PAUSE_MS = 500;

interface CacheEntry<V> {
  readonly value: V;
  readonly requestedAtMs: number;
  refreshAtMs: number;
}

/**
 * The store's answers of the last four seconds. Age counts from the question, not from the answer, so that a slow store
 * does not extend validity. Only answers of the store are cached. An entry in steady use is always cached.
 */
export class FreshCache<V extends object> {
  private readonly known: LRUCache<string, CacheEntry<V>>;
  private readonly missing: LRUCache<string, number>;
  private readonly pending = new Map<string, Promise<V | null>>();

  /**
   * @param load `null`: there is none
   * @param max limit of present and of missing keys each; separate, so that queries for missing keys evict no entries.
   *   `sizeOf`: what a present one counts as; absent: one
   */
  constructor(
    private readonly load: (key: string) => Promise<V | null>,
    private readonly clock: Clock,
    max: { readonly known: number; readonly missing: number; readonly sizeOf?: (value: V) => number },
  ) {
    const { sizeOf } = max;
    this.known = recentlyUsed(max.known, sizeOf && (({ value }) => sizeOf(value)));
    this.missing = recentlyUsed(max.missing);
  }

  /** The cached answer: `null` means "there is none", `undefined` "not cached". */
  peek(key: string): V | null | undefined {
    const known = this.known.get(key);
    const requestedAtMs = known ? known.requestedAtMs : this.missing.get(key);
    const now = this.clock.now();
    // A clock set back makes an answer from the future: not fresh either.
    if (requestedAtMs === undefined || now < requestedAtMs || now - requestedAtMs >= AGE_MAX_MS) return undefined;
    if (!known) return null;
    if (now >= known.refreshAtMs) this.refresh(key, known, now);
    return known.value;
  }

  /** The cached answer or the store's; concurrent calls for one key share one query. Throws what `load` throws. */
  find(key: string): Promise<V | null> {
    const cached = this.peek(key);
    if (cached !== undefined) return Promise.resolve(cached);
    return this.pending.get(key) ?? this.query(key);
  }

  /** Call after a change is committed: answers to earlier queries are no longer used. */
  forget(key: string): void {
    this.known.delete(key);
    this.missing.delete(key);
    this.pending.delete(key);
  }

  /** Forgets all keys, for a change that may concern any of them. */
  forgetAll(): void {
    this.known.clear();
    this.missing.clear();
    this.pending.clear();
  }

  private refresh(key: string, known: CacheEntry<V>, now: number): void {
    known.refreshAtMs = now + REFRESH_PAUSE_MS;
    // A failed refresh changes nothing: the cached answer expires, and then the caller gets the error.
    if (!this.pending.has(key)) this.query(key).catch(() => undefined);
  }

  private query(key: string): Promise<V | null> {
    const requestedAtMs = this.clock.now();
    const answer = this.load(key)
      .then((value) => {
        // If the key was forgotten in the meantime, this answer is outdated.
        if (this.pending.get(key) === answer) this.keep(key, value, requestedAtMs);
        return value;
      })
      .finally(() => {
        if (this.pending.get(key) === answer) this.pending.delete(key);
      });
    this.pending.set(key, answer);
    return answer;
  }

  private keep(key: string, value: V | null, requestedAtMs: number): void {
    if (value) {
      this.known.set(key, { value, requestedAtMs, refreshAtMs: requestedAtMs + REFRESH_AGE_MS });
      this.missing.delete(key);
    } else {
      this.known.delete(key);
      this.missing.set(key, requestedAtMs);
    }
  }
}
