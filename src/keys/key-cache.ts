import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../core/time.js';
import type { ActiveKey } from './active-key.js';
import { KeyLookups } from './key-lookups.js';

/** Age at which an answer is no longer used. A revoked key must stop within 5 s everywhere; the rest is for the way there. */
export const AGE_MAX_MS = 4_000;
/** Age from which a key in use is asked for again, without anyone waiting. */
export const REFRESH_AGE_MS = 2_000;
/** Least time between two such attempts for one key, should the store not answer. */
const REFRESH_PAUSE_MS = 500;
const KNOWN_MAX = 40_000;
/** Apart from the known, so that random keys never push out good ones. */
const UNKNOWN_MAX = 10_000;

interface Known {
  readonly key: ActiveKey;
  readonly askedAtMs: number;
  refreshAtMs: number;
}

/**
 * What the store said of keys in the last four seconds. Age counts from the question, not from the answer, so that a slow
 * store makes no key live longer. Nothing but the store's own answers ever gets in.
 */
@Injectable()
export class KeyCache {
  private readonly known = new LRUCache<string, Known>({ max: KNOWN_MAX });
  private readonly unknown = new LRUCache<string, number>({ max: UNKNOWN_MAX });
  private readonly asking = new Map<string, Promise<ActiveKey | null>>();

  constructor(
    private readonly lookups: KeyLookups,
    private readonly clock: Clock,
  ) {}

  /** The answer at hand: `null` is "no such active key", `undefined` "must be asked". A key in steady use is always at hand. */
  peek(hash: string): ActiveKey | null | undefined {
    const now = this.clock.now();
    const known = this.known.get(hash);
    if (known) {
      if (!isFresh(known.askedAtMs, now)) return undefined;
      if (now >= known.refreshAtMs) this.refresh(hash, known, now);
      return known.key;
    }
    const askedAtMs = this.unknown.get(hash);
    return askedAtMs !== undefined && isFresh(askedAtMs, now) ? null : undefined;
  }

  /**
   * The answer at hand or the store's; however many ask for one key at a time, the store is asked once.
   * @throws GatewayError `unavailable` when the store does not answer in time
   */
  find(hash: string): Promise<ActiveKey | null> {
    const atHand = this.peek(hash);
    if (atHand !== undefined) return Promise.resolve(atHand);
    return this.asking.get(hash) ?? this.ask(hash);
  }

  /** To be called after a change of the key is committed: what was asked before is no longer believed. */
  forget(hash: string): void {
    this.known.delete(hash);
    this.unknown.delete(hash);
    this.asking.delete(hash);
  }

  private refresh(hash: string, known: Known, now: number): void {
    known.refreshAtMs = now + REFRESH_PAUSE_MS;
    // A refresh that fails changes nothing: the answer at hand grows old, and then the caller is told.
    if (!this.asking.has(hash)) this.ask(hash).catch(() => undefined);
  }

  private ask(hash: string): Promise<ActiveKey | null> {
    const askedAtMs = this.clock.now();
    const answer = this.lookups
      .find(hash)
      .then((key) => {
        // Whoever forgot the key in the meantime knows better than this answer.
        if (this.asking.get(hash) === answer) this.keep(hash, key, askedAtMs);
        return key;
      })
      .finally(() => {
        if (this.asking.get(hash) === answer) this.asking.delete(hash);
      });
    this.asking.set(hash, answer);
    return answer;
  }

  private keep(hash: string, key: ActiveKey | null, askedAtMs: number): void {
    if (key) {
      this.known.set(hash, { key, askedAtMs, refreshAtMs: askedAtMs + REFRESH_AGE_MS });
      this.unknown.delete(hash);
    } else {
      this.known.delete(hash);
      this.unknown.set(hash, askedAtMs);
    }
  }
}

/** A clock set back makes an answer from the future: not fresh either. */
function isFresh(askedAtMs: number, now: number): boolean {
  return now >= askedAtMs && now - askedAtMs < AGE_MAX_MS;
}
