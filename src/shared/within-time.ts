import { GatewayError } from '../core/errors.js';
import { DATABASE_RETRY_AFTER_MS } from './database/database-unavailable.js';

/**
 * How long a statement of the request path is waited for, in milliseconds
 * (docs/reasons/money.md#patience-with-the-database).
 */
export const STATEMENT_MS_MAX = 2_000;

/** What the work brings, unless it takes longer than a request may wait for the store. The work itself goes on. */
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

/** What a caller is told of a store that does not answer. `what` begins the sentence: `The key`. */
export const notReadable = (what: string, cause?: unknown): GatewayError =>
  new GatewayError(
    'service-unavailable',
    `${what} cannot be checked: the database does not answer. Try again shortly.`,
    { retryAfterMs: DATABASE_RETRY_AFTER_MS },
    { cause },
  );
