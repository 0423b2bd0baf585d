import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const SCHEME = 'bearer ';

/**
 * The hash of the key that a request presents: nothing else is ever made of the key itself. Of both headers `x-api-key`
 * wins (docs/wire/clients.md#where-the-key-stands); an empty one counts as absent.
 * @returns undefined when the request presents none
 */
export function readPresentedKey(headers: IncomingHttpHeaders): string | undefined {
  const { 'x-api-key': apiKey, authorization = '' } = headers;
  let presented = '';
  if (typeof apiKey === 'string' && apiKey !== '') presented = apiKey;
  else if (authorization.slice(0, SCHEME.length).toLowerCase() === SCHEME)
    presented = authorization.slice(SCHEME.length).trim();
  // Node hands header bytes over as latin1. Hashed as the bytes they were, a key beyond ASCII has
  // the hash it is stored by.
  return presented === '' ? undefined : hash('sha256', Buffer.from(presented, 'latin1'), 'hex');
}
