import type { LRUCache } from 'lru-cache';
import type { Clock } from '../core/time.js';
import { recentlyUsed } from './recently-used.js';

/**
 * Age at which an answer is no longer used. What is revoked must stop within 5 s everywhere; the
 * rest is for the way there.
 */
export const AGE_MAX_MS = 4_000;
/** Age from which an answer in use is asked for again, without anyone waiting. */
export const REFRESH_AGE_MS = 2_000;
/** Least time between two such attempts for one key, should the store not answer. */
const REFRESH_PAUSE_MS = 500;

interface Known<V> {
  readonly value: V;
  readonly askedAtMs: number;
  refreshAtMs: number;
}

/**
 * What the store said in the last four seconds. Age counts from the question, not from the answer, so that a slow store
 * makes nothing live longer. Nothing but the store's own answers ever gets in. What is in steady use is always at hand.
 */
export class FreshCache<V extends object> {
  private readonly known: LRUCache<string, Known<V>>;
  private readonly missing: LRUCache<string, number>;
  private readonly asking = new Map<string, Promise<V | null>>();

  /**
   * @param load `null`: there is none
   * @param max how many of each are kept; those that are missing apart, so that asking for nothing pushes out nothing
   */
  constructor(
    private readonly load: (key: string) => Promise<V | null>,
    private readonly clock: Clock,
    max: { readonly known: number; readonly missing: number },
  ) {
    this.known = recentlyUsed(max.known);
    this.missing = recentlyUsed(max.missing);
  }

  /** The answer at hand: `null` is "there is none", `undefined` "must be asked". */
  peek(key: string): V | null | undefined {
    const known = this.known.get(key);
    const askedAtMs = known ? known.askedAtMs : this.missing.get(key);
    const now = this.clock.now();
    // A clock set back makes an answer from the future: not fresh either.
    if (askedAtMs === undefined || now < askedAtMs || now - askedAtMs >= AGE_MAX_MS) return undefined;
    if (!known) return null;
    if (now >= known.refreshAtMs) this.refresh(key, known, now);
    return known.value;
  }

  /**
   * The answer at hand or the store's; however many ask for one key at a time, the store is asked once.
   * Throws what `load` throws.
   */
  find(key: string): Promise<V | null> {
    const atHand = this.peek(key);
    if (atHand !== undefined) return Promise.resolve(atHand);
    return this.asking.get(key) ?? this.ask(key);
  }

  /** To be called after a change is committed: what was asked before is no longer believed. */
  forget(key: string): void {
    this.known.delete(key);
    this.missing.delete(key);
    this.asking.delete(key);
  }

  /** The same for all keys, where a change may concern any. */
  forgetAll(): void {
    this.known.clear();
    this.missing.clear();
    this.asking.clear();
  }

  private refresh(key: string, known: Known<V>, now: number): void {
    known.refreshAtMs = now + REFRESH_PAUSE_MS;
    // A refresh that fails changes nothing: the answer at hand grows old, and then the caller is told.
    if (!this.asking.has(key)) this.ask(key).catch(() => undefined);
  }

  private ask(key: string): Promise<V | null> {
    const askedAtMs = this.clock.now();
    const answer = this.load(key)
      .then((value) => {
        // Whoever forgot the key in the meantime knows better than this answer.
        if (this.asking.get(key) === answer) this.keep(key, value, askedAtMs);
        return value;
      })
      .finally(() => {
        if (this.asking.get(key) === answer) this.asking.delete(key);
      });
    this.asking.set(key, answer);
    return answer;
  }

  private keep(key: string, value: V | null, askedAtMs: number): void {
    if (value) {
      this.known.set(key, { value, askedAtMs, refreshAtMs: askedAtMs + REFRESH_AGE_MS });
      this.missing.delete(key);
    } else {
      this.known.delete(key);
      this.missing.set(key, askedAtMs);
    }
  }
}
