import type { ErrorKind, FaultKind } from './errors.js';

interface FaultPolicy {
  /**
   * The next attempt that may succeed: at another endpoint of the same model, or only with another model, where the
   * request itself was at fault.
   */
  readonly tryNext: 'endpoint' | 'model';
  /** The caller's error when this was the last attempt (docs/use/errors.md#provider-faults). */
  readonly errorKind: ErrorKind;
}

/**
 * The consequence of each kind of fault for the request. A kind without a row does not compile; its consequence for the
 * call is in `ENDINGS`.
 */
export const FAULT_POLICIES: Readonly<Record<FaultKind, FaultPolicy>> = {
  unreachable: { tryNext: 'endpoint', errorKind: 'upstream-failed' },
  'timed-out': { tryNext: 'endpoint', errorKind: 'timed-out' },
  'refused-credential': { tryNext: 'endpoint', errorKind: 'upstream-failed' },
  'payment-required': { tryNext: 'endpoint', errorKind: 'upstream-failed' },
  'not-found': { tryNext: 'endpoint', errorKind: 'upstream-failed' },
  'rejected-request': { tryNext: 'model', errorKind: 'invalid-request' },
  'too-large': { tryNext: 'model', errorKind: 'too-large' },
  'rate-limited': { tryNext: 'endpoint', errorKind: 'rate-limited' },
  unavailable: { tryNext: 'endpoint', errorKind: 'unavailable' },
  overloaded: { tryNext: 'endpoint', errorKind: 'overloaded' },
  'server-error': { tryNext: 'endpoint', errorKind: 'upstream-failed' },
  'malformed-reply': { tryNext: 'endpoint', errorKind: 'upstream-failed' },
};
