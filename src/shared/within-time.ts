import { GatewayError } from '../core/errors.js';
import { DATABASE_RETRY_AFTER_MS } from './database/database-unavailable.js';

/**
 * Milliseconds that the request path waits for a statement
 * (docs/contribute/reasons/money.md#time-limit-of-statements).
 */
export const STATEMENT_MS_MAX = 2_000;

/** The result of the work, unless it takes longer than a request may wait for the store. The work itself continues. */
export async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The store did not answer in time.')), STATEMENT_MS_MAX);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** The error for a store that does not answer. `what` begins the sentence: `The key`. */
export const notReadable = (what: string, cause?: unknown): GatewayError =>
  new GatewayError(
    'service-unavailable',
    `${what} cannot be checked: the database does not answer. Try again shortly.`,
    { retryAfterMs: DATABASE_RETRY_AFTER_MS },
    { cause },
  );

/**
 * The result of a look-up on the request path.
 * @param what begins the sentence of the error: `The key`
 * @throws GatewayError `service-unavailable` when the store fails or does not answer in time
 */
export async function readInTime<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await withinTime(work);
  } catch (error) {
    throw notReadable(what, error);
  }
}
