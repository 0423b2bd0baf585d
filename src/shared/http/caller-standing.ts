import type { Caller } from '../../core/caller.js';
import type { GatewayError } from '../../core/errors.js';

/** Knows whether an admitted caller is still valid: a body may take minutes, and keys are revoked meanwhile. */
export abstract class CallerStanding {
  /**
   * Answers synchronously from the cache, and refreshes old entries. Call each second: then a revocation anywhere takes
   * effect within 5 s.
   * @returns the error for the caller; undefined while the key is valid, or its state is unknown
   */
  abstract refusalOf(caller: Caller): GatewayError | undefined;
}
