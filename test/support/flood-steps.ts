import type { Caller } from '../../src/core/caller.js';
import type { FloodRates, FloodRefusal } from '../../src/rate-limits/flood-storage.js';

/** The next step of one caller, and the outcome of each of its requests. */
export interface FloodStep {
  /** Time before it, in milliseconds. */
  readonly waitMs?: number;
  readonly caller: Caller;
  /** Calls that it wastes before its requests. */
  readonly wastes?: number;
  /** Requests of one call that it wastes besides. */
  readonly wastesAtOnce?: number;
  /** Number of requests; default one. */
  readonly times?: number;
  readonly expected: readonly (FloodRefusal['limit'] | 'passes')[];
}

/** A scenario of the flood guard's counts, for every counting storage. */
export interface FloodRun {
  readonly goal: string;
  readonly rates: FloodRates;
  readonly steps: readonly FloodStep[];
}

const TEN_MINUTES = 600_000;
const RATES: FloodRates = { account: { limit: 6, windowMs: 10_000 }, wasted: { limit: 3, windowMs: 60_000 } };

const caller = (keyHash: string, kind: Caller['kind'] = 'inference', accountId = 'account'): Caller => ({
  accountId,
  workspaceId: 'w',
  keyHash,
  kind,
  userId: null,
});
const [A, B, C] = [caller('a'), caller('b'), caller('c')] as const;

const passes = (times: number): 'passes'[] => Array.from({ length: times }, () => 'passes');

export const FLOOD_STEPS: readonly FloodRun[] = [
  {
    goal: 'a key that is alone has all of its account, and again after the time of refusal',
    rates: RATES,
    steps: [
      { caller: A, times: 8, expected: [...passes(6), 'account', 'account'] },
      { waitMs: 9_000, caller: A, expected: ['account'] },
      { waitMs: 1_001, caller: A, times: 6, expected: passes(6) },
    ],
  },
  {
    goal: 'the first request past the limit begins the time of refusal',
    rates: RATES,
    steps: [
      { caller: A, times: 6, expected: passes(6) },
      { waitMs: 8_000, caller: A, expected: ['account'] },
      { waitMs: 8_000, caller: A, expected: ['account'] },
      { waitMs: 2_001, caller: A, expected: ['passes'] },
    ],
  },
  {
    goal: 'a key under contention has half, and its requests past that take nothing from the others',
    rates: RATES,
    steps: [
      { caller: B, expected: ['passes'] },
      { caller: A, times: 20, expected: [...passes(3), ...Array.from({ length: 17 }, () => 'share' as const)] },
      { caller: B, times: 3, expected: [...passes(2), 'share'] },
      { caller: C, times: 2, expected: ['account', 'account'] },
    ],
  },
  {
    goal: 'a key that was alone has half from the moment another one calls, which finds the other half',
    rates: RATES,
    steps: [
      { caller: A, times: 6, expected: passes(6) },
      { caller: B, times: 2, expected: passes(2) },
      { caller: A, times: 2, expected: ['share', 'share'] },
      { caller: B, times: 2, expected: ['passes', 'share'] },
      { caller: C, expected: ['account'] },
      { waitMs: 20_000, caller: A, times: 4, expected: [...passes(3), 'share'] },
      { caller: B, times: 3, expected: passes(3) },
    ],
  },
  {
    goal: 'a key that joins a refused one gets the other half, and no key gets it twice',
    rates: RATES,
    steps: [
      { caller: A, times: 8, expected: [...passes(6), 'account', 'account'] },
      { waitMs: 5_000, caller: B, times: 2, expected: passes(2) },
      { caller: C, times: 2, expected: ['passes', 'account'] },
      { caller: A, expected: ['share'] },
      { waitMs: 10_001, caller: A, times: 3, expected: passes(3) },
    ],
  },
  {
    goal: 'the requests of a key that joins count, even while it is refused for its waste',
    rates: RATES,
    steps: [
      { caller: A, times: 6, expected: passes(6) },
      { caller: B, wastes: 3, times: 5, expected: Array.from({ length: 5 }, () => 'wasted' as const) },
      { caller: A, expected: ['share'] },
      { caller: C, times: 3, expected: passes(3) },
    ],
  },
  {
    goal: 'company lasts ten minutes from the last call of another key, refused or not',
    rates: RATES,
    steps: [
      { caller: B, expected: ['passes'] },
      { waitMs: TEN_MINUTES - 2_000, caller: A, times: 4, expected: [...passes(3), 'share'] },
      { waitMs: TEN_MINUTES, caller: A, times: 7, expected: [...passes(6), 'account'] },
      { caller: B, expected: ['passes'] },
      { waitMs: TEN_MINUTES - 2_000, caller: A, times: 4, expected: [...passes(3), 'share'] },
      // C contends with A, and A with B, whichever of them called in between.
      { caller: C, expected: ['passes'] },
      { waitMs: TEN_MINUTES - 2_000, caller: C, times: 4, expected: [...passes(3), 'share'] },
      { waitMs: TEN_MINUTES, caller: C, times: 6, expected: passes(6) },
    ],
  },
  {
    goal: 'management and inference have windows of their own, and are no company to one another',
    rates: RATES,
    steps: [
      { caller: caller('m', 'management'), times: 7, expected: [...passes(6), 'account'] },
      { caller: A, times: 7, expected: [...passes(6), 'account'] },
      { caller: caller('n', 'management'), times: 4, expected: [...passes(3), 'share'] },
      { waitMs: 20_000, caller: caller('m', 'management'), times: 4, expected: [...passes(3), 'share'] },
      { caller: A, times: 6, expected: passes(6) },
    ],
  },
  {
    goal: 'accounts are no company to one another',
    rates: RATES,
    steps: [
      { caller: caller('o', 'inference', 'other'), expected: ['passes'] },
      { caller: A, times: 6, expected: passes(6) },
      { caller: caller('o', 'inference', 'other'), times: 5, expected: passes(5) },
    ],
  },
  {
    goal: 'half of a limit is rounded down, and one at least',
    rates: { ...RATES, account: { limit: 1, windowMs: 10_000 } },
    steps: [
      { caller: A, expected: ['passes'] },
      { caller: B, expected: ['account'] },
      { waitMs: 20_000, caller: A, times: 2, expected: ['passes', 'share'] },
    ],
  },
  {
    goal: 'a key that has wasted its calls waits, from the last that it may on, and no other',
    rates: RATES,
    steps: [
      { caller: A, wastes: 2, expected: ['passes'] },
      { waitMs: 30_000, caller: A, wastes: 1, expected: ['wasted'] },
      { waitMs: 59_000, caller: A, wastes: 5, expected: ['wasted'] },
      { caller: B, expected: ['passes'] },
      { waitMs: 1_001, caller: A, expected: ['passes'] },
      { caller: A, wastes: 2, expected: ['passes'] },
      { waitMs: 60_001, caller: A, wastes: 2, expected: ['passes'] },
    ],
  },
  {
    goal: 'what is refused for waste counts in no window',
    rates: RATES,
    steps: [
      { caller: B, wastes: 3, times: 20, expected: Array.from({ length: 20 }, () => 'wasted' as const) },
      { caller: C, times: 3, expected: passes(3) },
      { caller: A, times: 3, expected: passes(3) },
      { caller: C, expected: ['share'] },
    ],
  },
  {
    goal: 'a wasted call of several requests counts as all of them, and begins one time of refusal',
    rates: RATES,
    steps: [
      { caller: A, wastesAtOnce: 2, expected: ['passes'] },
      { waitMs: 30_000, caller: A, wastesAtOnce: 5, expected: ['wasted'] },
      { waitMs: 31_000, caller: A, wastesAtOnce: 4, expected: ['wasted'] },
      { waitMs: 29_001, caller: A, expected: ['passes'] },
    ],
  },
];
