import { Injectable } from '@nestjs/common';
import type { LRUCache } from 'lru-cache';
import { Clock } from '../core/time.js';
import { FreshCache } from '../shared/fresh-cache.js';
import { recentlyUsed } from '../shared/recently-used.js';
import type { ActiveKey } from './active-key.js';
import { KeyLookups } from './key-lookups.js';

const KNOWN_MAX = 40_000;
/** Unknown keys have a separate bound, so that random keys never push out valid ones. */
const UNKNOWN_MAX = 10_000;

/**
 * The store's answers for keys, by their hashes; `null` is "no such active key". `find` throws `unavailable` as the
 * look-ups do.
 */
@Injectable()
export class KeyCache extends FreshCache<ActiveKey> {
  private readonly good: LRUCache<string, true>;

  constructor(lookups: KeyLookups, clock: Clock) {
    const good = recentlyUsed<string, true>(KNOWN_MAX);
    const find = async (hash: string): Promise<ActiveKey | null> => {
      const key = await lookups.find(hash);
      if (key) good.set(hash, true);
      else good.delete(hash);
      return key;
    };
    super(find, clock, { known: KNOWN_MAX, missing: UNKNOWN_MAX });
    this.good = good;
  }

  /**
   * Whether a key was valid at its last look-up, however long ago and whatever has changed since: it proves nothing
   * about the present.
   */
  wasKnown(hash: string): boolean {
    return this.good.has(hash);
  }
}
