import type { ErrorFamily } from '../shared/http/error-views.js';
import { vendorOfKey } from '../shared/vendor-keys.js';

const OWN_KEY = 'Send a key of this gateway';

/** What a key is refused with that is unknown, disabled or deleted: which of these it is is not disclosed. */
export const INACTIVE_KEY = 'Invalid API key: it is not an active key of this gateway.';

/** What a request that presents no key is refused with (docs/wire/errors.md#missing-keys). */
export function missingKeyMessage(family: ErrorFamily, isOtherScheme: boolean): string {
  // The Messages format has no word for a missing key but that of an invalid one.
  const start = family === 'messages' ? 'Invalid API key' : 'Missing Authentication header';
  return isOtherScheme
    ? `${start}: the Authorization header has no key behind the word Bearer. ${OWN_KEY} as Authorization: Bearer KEY, or as x-api-key: KEY.`
    : `${start}: no key was sent. ${OWN_KEY} as Authorization: Bearer KEY, or as x-api-key: KEY.`;
}

/**
 * What a key that this gateway does not accept is refused with. It names a vendor by the form of the key alone, and
 * repeats nothing of the key.
 */
export function unknownKeyMessage(key: string): string {
  const vendor = vendorOfKey(key)?.name;
  return vendor === undefined
    ? INACTIVE_KEY
    : `Invalid API key: it has the form of a key of ${vendor}. ${OWN_KEY}; keys of providers are stored by POST /byok.`;
}

/** @param expiredAtMs epoch milliseconds. Only who presents the whole key learns of it. */
export const expiredKeyMessage = (expiredAtMs: number): string =>
  `Invalid API key: it expired at ${new Date(expiredAtMs).toISOString()}.`;
