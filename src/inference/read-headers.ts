import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../core/errors.js';
import { compile } from '../shared/http/schema.js';
import { label, LABEL_CHARACTERS_MAX } from './schemas/options.js';

/** What of the headers is part of the request (Scope 2.1, WIRE 1.23). */
export interface RequestHeaders {
  readonly sessionId?: string;
  readonly betas: readonly string[];
}

/** What the headers mean, for the description. */
export const REQUEST_HEADERS = {
  'X-Session-Id': 'The same as `session_id` in the body, which counts where both are sent.',
  'anthropic-beta': 'Names of betas, separated by commas: passed on to providers that know them.',
} as const;

const SESSION_OR_BETAS = ['x-session-id', 'anthropic-beta', 'x-anthropic-beta'];
const NOTHING: RequestHeaders = { betas: [] };

/** @throws GatewayError when the session id is too long */
export function readRequestHeaders(headers: IncomingHttpHeaders): RequestHeaders {
  if (!SESSION_OR_BETAS.some((name) => headers[name] !== undefined)) return NOTHING;
  const sessionId = utf8Of(textOf(headers['x-session-id']));
  if (!IS_LABEL.check(sessionId)) {
    throw new GatewayError('invalid-request', `x-session-id: must be at most ${LABEL_CHARACTERS_MAX} characters`);
  }
  // Two names for one list: the vendor's own clients send the first, the service's documentation the second.
  const betas = [...listOf(headers['anthropic-beta']), ...listOf(headers['x-anthropic-beta'])];
  return { betas: [...new Set(betas)], ...(sessionId !== '' && { sessionId }) };
}

/** Node hands header bytes over as latin1; the same id in a body is UTF-8, and is the same session. */
const utf8Of = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');

const IS_LABEL = compile(label);

const textOf = (header: string | string[] | undefined): string => [header ?? ''].flat().join(', ').trim();

const listOf = (header: string | string[] | undefined): string[] =>
  textOf(header)
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
