import type { Caller } from '../../core/caller.js';
import type { GatewayError } from '../../core/errors.js';

/**
 * Knows whether an admitted caller is still valid: while a body arrives, which may take minutes, its key may be
 * revoked.
 */
export abstract class CallerValidity {
  /**
   * Answers synchronously from the cache, and refreshes old entries. Call each second: then a revocation anywhere takes
   * effect within 5 s.
   * @returns the error for the caller; undefined while the key is valid, or its state is unknown
   */
  abstract refusalOf(caller: Caller): GatewayError | undefined;
}
