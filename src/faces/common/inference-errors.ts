import type { ErrorKind } from '../../core/errors.js';

/** How inference can fail before its reply has begun, besides what every route can refuse. */
export const INFERENCE_ERRORS: readonly ErrorKind[] = [
  'context-too-long',
  'payment-required',
  'not-found',
  'unprocessable',
  'upstream-failed',
  'timed-out',
  'overloaded',
];
