import type { ErrorFamily } from '../shared/http/error-views.js';
import { vendorOfKey } from '../shared/vendor-keys.js';

const OWN_KEY = 'Send a key of this gateway';

/** The message for an unknown, disabled or deleted key: which of these it is is not disclosed. */
export const INACTIVE_KEY = 'Invalid API key: it is not an active key of this gateway.';

/** The message for a session that has ended, for whatever reason. */
export const ENDED_SESSION = 'The session of the console has ended. Sign in again.';

/** The message for a change by a session that the console did not make. */
export const FOREIGN_CHANGE =
  'A session of the console serves its own pages only: a change needs the headers Sec-Fetch-Site: same-origin and X-Fairlead-Console: 1.';

/** The message for a request without key (docs/use/errors.md#missing-keys). */
export function missingKeyMessage(family: ErrorFamily, isOtherScheme: boolean): string {
  // The Messages format has no separate word for a missing key: it is an invalid one.
  const start = family === 'messages' ? 'Invalid API key' : 'Missing Authentication header';
  return isOtherScheme
    ? `${start}: the Authorization header has no key behind the word Bearer. ${OWN_KEY} as Authorization: Bearer KEY, or as x-api-key: KEY.`
    : `${start}: no key was sent. ${OWN_KEY} as Authorization: Bearer KEY, or as x-api-key: KEY.`;
}

/**
 * The message for a key that this gateway does not accept. It names a vendor by the form of the key alone, and repeats
 * nothing of the key.
 */
export function unknownKeyMessage(key: string): string {
  const vendor = vendorOfKey(key)?.name;
  return vendor === undefined
    ? INACTIVE_KEY
    : `Invalid API key: it has the form of a key of ${vendor}. ${OWN_KEY}; keys of providers are stored by POST /byok.`;
}

/** @param expiredAtMs epoch milliseconds. Only disclosed to a caller that presents the whole key. */
export const expiredKeyMessage = (expiredAtMs: number): string =>
  `Invalid API key: it expired at ${new Date(expiredAtMs).toISOString()}.`;
