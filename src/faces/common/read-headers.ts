import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import type { Caller } from '../../core/caller.js';
import { GatewayError } from '../../core/errors.js';
import { FUSION_DEPTH_HEADER } from '../../core/fusion-depth.js';
import type { RequestOrigin } from '../../core/generation/generation.js';
import { tagsOver } from '../../core/tags.js';
import { REQUEST_ID_HEADER } from '../../shared/http/request-log.js';
import { compile } from '../../shared/http/schema.js';
import { readTagsHeader, type GivenTags } from './read-tags.js';
import { CACHE_HEADERS } from './read-cache.js';
import { IDEMPOTENCY_HEADERS, REPETITION_HEADERS } from './read-idempotency.js';
import { label, LABEL_CHARACTERS_MAX } from './schemas/options.js';

/** The headers that are part of the request (docs/use/messages.md#headers). */
export interface RequestHeaders extends GivenTags {
  readonly sessionId?: string;
  readonly betas: readonly string[];
  readonly fusionDepth?: number;
}

/** The descriptions of the headers for the API description. */
export const REQUEST_HEADERS = {
  'X-Session-Id':
    'The same as `session_id` in the body, which counts where both are sent. `X-Claude-Code-Session-Id` where it is absent.',
  'X-OpenRouter-Fusion-Depth':
    'How many fusions this request is part of, 0 to 16: from 1 on none is run for it. Gateways set it.',
  'anthropic-beta': 'Names of betas, separated by commas: passed on to providers that know them.',
  'X-Fairlead-Tags':
    'Tags as `name=value`, separated by commas, each part percent-encoded. `trace.tags` in the body counts where both name a tag.',
  ...REPETITION_HEADERS,
  ...CACHE_HEADERS,
} as const;

/** The headers of a task: a session only groups it. */
export const TASK_HEADERS = {
  'X-Session-Id': REQUEST_HEADERS['X-Session-Id'],
  'X-Fairlead-Tags': REQUEST_HEADERS['X-Fairlead-Tags'],
  ...IDEMPOTENCY_HEADERS,
} as const;

/** Claude Code states its session by this header alone. */
const CLAUDE_CODE_SESSION = 'x-claude-code-session-id';

const NOTHING: RequestHeaders = { betas: [] };

/**
 * @param caller whose tags it has; absent: it is not recorded, and needs none
 * @throws GatewayError when the session id is too long, or the depth or a tag is invalid
 */
export function readRequestHeaders(headers: IncomingHttpHeaders, caller?: Caller): RequestHeaders {
  const own = headers['x-fairlead-tags'];
  const tags = own ? tagsOver(readTagsHeader(textOf(own)), caller?.tags) : caller?.tags;
  const requiredTags = caller?.requiredTags;
  const read = readPlainHeaders(headers);
  if (!tags && !requiredTags) return read;
  return Object.assign(
    read === NOTHING ? { betas: NOTHING.betas } : read,
    tags && { tags },
    requiredTags && { requiredTags },
  );
}

function readPlainHeaders(headers: IncomingHttpHeaders): RequestHeaders {
  const depth = headers[FUSION_DEPTH_HEADER];
  const session = headers['x-session-id'] ?? headers[CLAUDE_CODE_SESSION];
  if (!session && !headers['anthropic-beta'] && !headers['x-anthropic-beta'] && depth === undefined) return NOTHING;
  const sessionId = utf8Of(textOf(session));
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

/** More than in any chain of gateways in practice. */
const FUSION_DEPTH_MAX = 16;

function readDepth(value: string): number {
  const depth = /^\d{1,2}$/.test(value) ? Number(value) : FUSION_DEPTH_MAX + 1;
  if (depth <= FUSION_DEPTH_MAX) return depth;
  const message = `${FUSION_DEPTH_HEADER}: must be a whole number of at most ${FUSION_DEPTH_MAX}`;
  throw new GatewayError('invalid-request', message);
}

/** Node decodes header bytes as latin1; the same id in a body is UTF-8, and is the same session. */
const utf8Of = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');

const IS_LABEL = compile(label);

const textOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' ? header.trim() : [header ?? ''].flat().join(', ').trim();

const listOf = (header: string | string[] | undefined): string[] =>
  textOf(header)
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/**
 * The first and its legacy form are our own; clients in use send the other two (docs/use/conventions.md#two-names).
 * Lower case, as Node provides them.
 */
const METADATA_NAMES = [
  'x-router-metadata',
  'x-openrouter-metadata',
  'x-router-experimental-metadata',
  'x-openrouter-experimental-metadata',
] as const;

/** For the API description. */
export const ROUTER_METADATA_HEADER = {
  'X-Router-Metadata': '`enabled`: the reply states how it was routed.',
} as const;

/**
 * Whether the caller requests its routing metadata: `enabled` in any case, under any of the names; every other value
 * means no and is not an error (docs/use/routing-metadata.md#the-header). Where several are sent, one `enabled` is
 * enough.
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

/** Identifies the HTTP request of a generation. */
export function originOf(response: Response): RequestOrigin {
  const { traceparent, tracestate } = response.req.headers;
  return {
    requestId: String(response.getHeader(REQUEST_ID_HEADER)),
    // Sent twice, it is invalid.
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    tracestate: typeof tracestate === 'string' ? tracestate : undefined,
  };
}
