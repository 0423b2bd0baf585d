import type { Caller } from '../../core/caller.js';
import type { GatewayError } from '../../core/errors.js';

/** Knows whether who was let in may stay: a body comes for minutes, and keys are revoked meanwhile. */
export abstract class CallerStanding {
  /**
   * Answers at once from what is at hand, and has what is old asked for again. To be asked each second: then a
   * revocation anywhere is known within 5 s.
   * @returns what the caller is to be told; undefined while the key is good, or nobody can say
   */
  abstract refusalOf(caller: Caller): GatewayError | undefined;
}
