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

/** Schemes of authentication that are named; the first word of any other header may be the key itself. */
const SCHEMES = ['Basic', 'Digest', 'Negotiate', 'NTLM', 'OAuth', 'Token', 'ApiKey', 'Api-Key', 'AWS4-HMAC-SHA256'];

/** The message for a request without key (docs/use/errors.md#missing-keys). @param authorization the header */
export function missingKeyMessage(family: ErrorFamily, authorization = ''): string {
  // The Messages format has no separate word for a missing key: it is an invalid one.
  const start = family === 'messages' ? 'Invalid API key' : 'Missing Authentication header';
  return `${start}: ${missingPart(authorization.trim())}. ${OWN_KEY} as Authorization: Bearer KEY, or as x-api-key: KEY.`;
}

function missingPart(authorization: string): string {
  if (authorization === '') return 'no key was sent';
  const [word] = /^[^\s]{1,64}/.exec(authorization)!;
  if (word.toLowerCase() === 'bearer') return 'the Authorization header has no key behind the word Bearer';
  const scheme = SCHEMES.find((known) => known.toLowerCase() === word.toLowerCase());
  if (scheme) return `the Authorization header has the scheme ${scheme}, and this gateway reads Bearer alone`;
  return authorization.length === word.length
    ? 'the Authorization header lacks the word Bearer before the key'
    : 'the Authorization header has another scheme than Bearer, which alone is read';
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
