import type { ErrorKind } from '../../core/errors.js';

/** Errors of inference before its reply has begun, besides those of every route. */
export const INFERENCE_ERRORS: readonly ErrorKind[] = [
  'context-too-long',
  'payment-required',
  'not-found',
  'conflict',
  'unprocessable',
  'upstream-failed',
  'timed-out',
  'overloaded',
];
