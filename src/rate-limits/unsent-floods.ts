import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Caller } from '../core/caller.js';
import type { Rate } from '../shared/variables/grammars.js';
import type { FloodRates } from './flood-storage.js';

/** Hits of one window that were counted in this process only. */
export interface UnsentHits<Counted> {
  readonly counted: Counted;
  readonly windowMs: number;
  /** Time of the first hit, epoch milliseconds. */
  readonly beganAt: number;
  /** May be 0 or less: Redis had counted some after all. */
  readonly times: number;
}

/** Requests of the keys of one group, counted likewise. */
export interface UnsentCalls {
  readonly rates: FloodRates;
  readonly beganAt: number;
  /** Counts by hash of the key. */
  readonly keys: Map<string, { readonly caller: Caller; readonly times: number }>;
}

export interface CountedWaste {
  readonly caller: Caller;
  readonly rate: Rate;
}

export type CountedFailure = Parameters<ThrottlerStorage['increment']>;

/** Adds later hits to kept ones, which are dropped if their window has ended. */
export const joinHits = <Counted>(kept: UnsentHits<Counted>, later: UnsentHits<Counted>): UnsentHits<Counted> =>
  later.beganAt - kept.beganAt >= later.windowMs ? later : { ...kept, times: kept.times + later.times };

/** Adds later requests to kept ones, which are dropped if their window has ended. */
export function joinCalls(kept: UnsentCalls, later: UnsentCalls): UnsentCalls {
  if (later.beganAt - kept.beganAt >= later.rates.account.windowMs) return later;
  for (const [keyHash, { caller, times }] of later.keys) {
    kept.keys.set(keyHash, { caller, times: times + (kept.keys.get(keyHash)?.times ?? 0) });
  }
  return kept;
}

export const timesOf = (hits: readonly UnsentHits<unknown>[]): number =>
  hits.reduce((sum, { times }) => sum + times, 0);

/** @returns the requests of the key, and of all keys of its group */
export function callsOf(
  calls: readonly UnsentCalls[],
  keyHash: string,
): { readonly own: number; readonly all: number } {
  let [own, all] = [0, 0];
  for (const { keys } of calls) {
    own += keys.get(keyHash)?.times ?? 0;
    for (const { times } of keys.values()) all += times;
  }
  return { own, all };
}
