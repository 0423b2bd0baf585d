import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../core/errors.js';
import { FUSION_DEPTH_HEADER } from '../core/fusion-depth.js';
import { compile } from '../shared/http/schema.js';
import { label, LABEL_CHARACTERS_MAX } from './schemas/options.js';

/** What of the headers is part of the request (docs/wire/messages.md#headers). */
export interface RequestHeaders {
  readonly sessionId?: string;
  readonly betas: readonly string[];
  readonly fusionDepth?: number;
}

/** What the headers mean, for the description. */
export const REQUEST_HEADERS = {
  'X-Session-Id': 'The same as `session_id` in the body, which counts where both are sent.',
  'X-OpenRouter-Fusion-Depth':
    'How many fusions this request is part of, 0 to 16: from 1 on none is run for it. Gateways set it.',
  'anthropic-beta': 'Names of betas, separated by commas: passed on to providers that know them.',
} as const;

const NOTHING: RequestHeaders = { betas: [] };

/** @throws GatewayError when the session id is too long, or the depth none */
export function readRequestHeaders(headers: IncomingHttpHeaders): RequestHeaders {
  const depth = headers[FUSION_DEPTH_HEADER];
  if (!headers['x-session-id'] && !headers['anthropic-beta'] && !headers['x-anthropic-beta'] && depth === undefined)
    return NOTHING;
  const sessionId = utf8Of(textOf(headers['x-session-id']));
  if (!IS_LABEL.check(sessionId)) {
    throw new GatewayError('invalid-request', `x-session-id: must be at most ${LABEL_CHARACTERS_MAX} characters`);
  }
  // Two names for one list: the vendor's own clients send the first, the service's documentation the second.
  const betas = [...listOf(headers['anthropic-beta']), ...listOf(headers['x-anthropic-beta'])];
  const fusionDepth = depth === undefined ? 0 : readDepth(textOf(depth));
  return {
    betas: [...new Set(betas)],
    ...(sessionId !== '' && { sessionId }),
    ...(fusionDepth > 0 && { fusionDepth }),
  };
}

/** More than any chain of gateways that is meant. */
const FUSION_DEPTH_MAX = 16;

function readDepth(said: string): number {
  const depth = /^\d{1,2}$/.test(said) ? Number(said) : FUSION_DEPTH_MAX + 1;
  if (depth <= FUSION_DEPTH_MAX) return depth;
  const message = `${FUSION_DEPTH_HEADER}: must be a whole number of at most ${FUSION_DEPTH_MAX}`;
  throw new GatewayError('invalid-request', message);
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

/**
 * The first and its legacy form are our own, real clients send the other two (docs/wire/clients.md#two-names). Lower
 * case, as Node gives them.
 */
const METADATA_NAMES = [
  'x-router-metadata',
  'x-openrouter-metadata',
  'x-router-experimental-metadata',
  'x-openrouter-experimental-metadata',
] as const;

/** For the description. */
export const ROUTER_METADATA_HEADER = { 'X-Router-Metadata': '`enabled`: the reply tells how it was routed.' } as const;

/**
 * Does the caller ask how its request was routed? `enabled` in any case, under any of the names; every other value
 * means no and is no fault (docs/wire/routing-metadata.md#the-header). Where several are sent, one `enabled` is enough.
 */
export function wantsRouterMetadata(headers: IncomingHttpHeaders): boolean {
  for (const name of METADATA_NAMES) {
    const value = headers[name];
    if (value !== undefined && isEnabled(value)) return true;
  }
  return false;
}

/** Node joins the lines of one header with commas. */
const isEnabled = (value: string | readonly string[]): boolean =>
  String(value)
    .split(',')
    .some((part) => part.trim().toLowerCase() === 'enabled');
