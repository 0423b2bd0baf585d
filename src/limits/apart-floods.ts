import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Caller } from '../core/caller.js';
import type { Rate } from '../shared/variables/grammars.js';
import type { FloodRates } from './flood-storage.js';

/** Hits of one window that were counted in this process alone. */
export interface ApartHits<Counted> {
  readonly counted: Counted;
  readonly windowMs: number;
  /** When the first was, epoch milliseconds. */
  readonly beganAt: number;
  /** May be 0 or less: Redis had counted some after all. */
  readonly times: number;
}

/** Requests of the keys of one group, likewise. */
export interface ApartCalls {
  readonly rates: FloodRates;
  readonly beganAt: number;
  /** By hash of the key. */
  readonly keys: Map<string, { readonly caller: Caller; readonly times: number }>;
}

export interface CountedWaste {
  readonly caller: Caller;
  readonly rate: Rate;
}

export type CountedFailure = Parameters<ThrottlerStorage['increment']>;

/** What was counted in a window that has ended is left out. */
export const joinHits = <Counted>(kept: ApartHits<Counted>, later: ApartHits<Counted>): ApartHits<Counted> =>
  later.beganAt - kept.beganAt >= later.windowMs ? later : { ...kept, times: kept.times + later.times };

/** The same of requests. */
export function joinCalls(kept: ApartCalls, later: ApartCalls): ApartCalls {
  if (later.beganAt - kept.beganAt >= later.rates.account.windowMs) return later;
  for (const [keyHash, { caller, times }] of later.keys) {
    kept.keys.set(keyHash, { caller, times: times + (kept.keys.get(keyHash)?.times ?? 0) });
  }
  return kept;
}

export const timesOf = (hits: readonly ApartHits<unknown>[]): number => hits.reduce((sum, { times }) => sum + times, 0);

/** @returns of the key, and of all keys of its group */
export function callsOf(calls: readonly ApartCalls[], keyHash: string): { readonly own: number; readonly all: number } {
  let [own, all] = [0, 0];
  for (const { keys } of calls) {
    own += keys.get(keyHash)?.times ?? 0;
    for (const { times } of keys.values()) all += times;
  }
  return { own, all };
}
