import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Caller } from '../core/caller.js';
import type { Rate } from '../shared/variables/grammars.js';

export interface FloodRates {
  /** Requests of a group. */
  readonly account: Rate;
  /** Abandoned and failed calls of a key. */
  readonly wasted: Rate;
}

/** The limits of the flood guard, in the order of their numbers in scripts, from 1 on. */
export const FLOOD_LIMITS = ['account', 'share', 'wasted'] as const;

/** The limit that refused a request, and the time that is left. */
export interface FloodRefusal {
  readonly limit: (typeof FLOOD_LIMITS)[number];
  readonly retryAfterMs: number;
}

/**
 * The storage of the flood guard's counts (docs/use/limits.md#flood): the library's interface and additions to it. A
 * count past a limit begins a time of refusal as long as the window.
 */
export abstract class FloodStorage implements ThrottlerStorage {
  abstract increment(...counted: Parameters<ThrottlerStorage['increment']>): ReturnType<ThrottlerStorage['increment']>;

  /**
   * Counts a request for its key and for the account. A request past the key's share does not count for the account, so
   * it takes nothing from the other keys.
   * @returns undefined where it passes
   */
  abstract countRequest(
    caller: Caller,
    rates: FloodRates,
  ): FloodRefusal | undefined | Promise<FloodRefusal | undefined>;

  /** Counts calls that their key has wasted. Never throws. @param times 1 without it */
  abstract countWaste(caller: Caller, rate: Rate, times?: number): void;

  /** Whether another key of the account called in the last ten minutes, as far as this process knows. */
  abstract hasContention(caller: Caller): boolean;
}
