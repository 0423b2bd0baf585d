import { Injectable } from '@nestjs/common';
import { Clock } from '../core/time.js';
import { FreshCache } from '../shared/fresh-cache.js';
import type { ActiveKey } from './active-key.js';
import { KeyLookups } from './key-lookups.js';

const KNOWN_MAX = 40_000;
/** Random keys never push out good ones. */
const UNKNOWN_MAX = 10_000;

/**
 * What the store said of keys, by their hashes; `null` is "no such active key". `find` throws
 * `unavailable` as the look-ups do.
 */
@Injectable()
export class KeyCache extends FreshCache<ActiveKey> {
  constructor(lookups: KeyLookups, clock: Clock) {
    super((hash) => lookups.find(hash), clock, { known: KNOWN_MAX, missing: UNKNOWN_MAX });
  }
}
