import type { IncomingHttpHeaders } from 'node:http';
import { hashKey } from '../core/ids.js';

/** The cookie of the console (docs/operate/console.md#sessions). The prefix binds it to one host, and to all paths. */
export const SESSION_COOKIE = '__Host-fairlead';
/** What the console sends with each change: a page of another origin cannot, without a permission that none gets. */
const CONSOLE_HEADER = 'x-fairlead-console';

const COOKIE = new RegExp(`(?:^|;\\s*)${SESSION_COOKIE}=([\\w-]{43})(?:\\s*;|\\s*$)`);
const READING = new Set(['GET', 'HEAD']);
/** Of a request that a page of another origin has made. */
const FOREIGN = new Set(['cross-site', 'same-site']);

/** A session in force. */
export interface LiveSession {
  /** SHA-256 of its token, in hex. */
  readonly id: string;
  /** Of the key that signed in: whatever ends it ends the session. */
  readonly secretHash: string;
}

/** Knows the sessions of the console, which a request may present in place of a key. */
export abstract class SessionCallers {
  /** Notes that the session is in use. Null where there is no such session, or it has ended. */
  abstract find(id: string): Promise<LiveSession | null>;
}

/** The id of the session whose token a request presents; undefined where it presents none. */
export function readPresentedSession({ cookie }: IncomingHttpHeaders): string | undefined {
  const token = cookie === undefined ? undefined : COOKIE.exec(cookie)?.[1];
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
