import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../core/caller.js';
import { hashKey } from '../core/ids.js';

/** The cookie of the console (docs/operate/console.md#sessions). The prefix binds it to one host, and to all paths. */
export const SESSION_COOKIE = '__Host-fairlead';
/**
 * Header of each change by the console. A page of another origin cannot send it without a permission that none gets.
 */
const CONSOLE_HEADER = 'x-fairlead-console';

const READING = new Set(['GET', 'HEAD']);
/** Values of `sec-fetch-site` of requests that a page of another origin has made. */
const FOREIGN = new Set(['cross-site', 'same-site']);

/**
 * The author of the requests of an active session. It is a key, by the hash of the secret that signed in, and the end
 * of that secret ends the session; or it is a person without a key.
 */
export type LiveSession = { readonly secretHash: string } | { readonly caller: Caller };

/** Knows the sessions of the console, which a request may present instead of a key. */
export abstract class SessionCallers {
  /** Notes that the session is in use. Null where there is no such session, or it has ended. */
  abstract find(id: string): Promise<LiveSession | null>;
}

/** Reads a token of 32 bytes from the cookie of a name. */
export function tokenReader(name: string): (headers: IncomingHttpHeaders) => string | undefined {
  const pattern = new RegExp(`(?:^|;\\s*)${name}=([\\w-]{43})(?:\\s*;|\\s*$)`);
  return ({ cookie }) => (cookie === undefined ? undefined : pattern.exec(cookie)?.[1]);
}

const readSessionToken = tokenReader(SESSION_COOKIE);

/** The id of the session whose token a request presents; undefined where it presents none. */
export function readPresentedSession(headers: IncomingHttpHeaders): string | undefined {
  const token = readSessionToken(headers);
  return token === undefined ? undefined : hashKey(token);
}

/** Whether a page of another origin made this request, by the word of the browser. */
export const isForeign = (headers: IncomingHttpHeaders): boolean => FOREIGN.has(headers['sec-fetch-site'] as string);

/**
 * Whether a page of the console made this request, as far as its method needs that: a change is proven by the browser
 * and by a header that no form can send.
 */
export function isOfConsole(method: string, headers: IncomingHttpHeaders): boolean {
  if (READING.has(method)) return !isForeign(headers);
  return headers['sec-fetch-site'] === 'same-origin' && headers[CONSOLE_HEADER] === '1';
}
