import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Caller } from '../core/caller.js';
import type { Rate } from '../shared/variables/grammars.js';

export interface FloodRates {
  /** Requests of a group. */
  readonly account: Rate;
  /** Abandoned and failed calls of a key. */
  readonly wasted: Rate;
}

/** The limits of the flood guard, in the order in which a script names them, from 1 on. */
export const FLOOD_LIMITS = ['account', 'share', 'wasted'] as const;

/** Which limit refused a request, and for how long yet. */
export interface FloodRefusal {
  readonly limit: (typeof FLOOD_LIMITS)[number];
  readonly retryAfterMs: number;
}

/**
 * What the flood guard counts in (docs/wire/limits.md#flood): the library's interface, and what it has no word for. A
 * count past a limit begins a time of refusal as long as the window.
 */
export abstract class FloodStorage implements ThrottlerStorage {
  abstract increment(...counted: Parameters<ThrottlerStorage['increment']>): ReturnType<ThrottlerStorage['increment']>;

  /**
   * Counts a request for its key and for the account. What a key asks past its share is not the account's: it takes
   * nothing from the others.
   * @returns undefined where it passes
   */
  abstract countRequest(
    caller: Caller,
    rates: FloodRates,
  ): FloodRefusal | undefined | Promise<FloodRefusal | undefined>;

  /** Counts a call that its key has wasted. Never throws. */
  abstract countWaste(caller: Caller, rate: Rate): void;

  /** Whether another key of the account called in the last ten minutes, as this process knows by its own requests. */
  abstract hasCompany(caller: Caller): boolean;
}
