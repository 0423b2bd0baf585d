import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { PresetUse } from '../../core/conversation/preset-use.js';
import type { Response } from 'express';
import type { CacheOutcome, CacheTerms } from '../../core/generation/cached-answer.js';
import type { GenerationStart } from '../../core/generation/generation.js';
import { printInSlices } from '../../core/json/print-in-slices.js';

/** The gateway's own names of the headers begin with the first, those of the API that it follows with the second. */
const PREFIXES = ['X-Fairlead-Cache', 'X-OpenRouter-Cache'] as const;
type Prefix = (typeof PREFIXES)[number];

const TTL_SECONDS = { default: 300, min: 1, max: 86_400 };

/** For the API description. */
export const CACHE_HEADERS = {
  'X-Fairlead-Cache': '`true`: an equal request of the key is answered from the response cache. `false`: it is not.',
  'X-Fairlead-Cache-TTL': 'Seconds that the reply is stored, 1 to 86400; 300 by default.',
  'X-Fairlead-Cache-Clear': '`true`: a stored reply is replaced.',
  'X-Fairlead-Cache-Share': '`true`: an equal request that is under way answers this one as well.',
} as const;
export const CACHE_ANSWER_HEADERS = {
  'X-Fairlead-Cache-Status': '`HIT`, `MISS` or `SHARED`; absent where the response cache takes no part.',
  'X-Fairlead-Cache-Age': 'Seconds since the reply was stored.',
  'X-Fairlead-Cache-TTL': 'Seconds that the reply remains stored.',
  'X-Fairlead-Cache-Source-Id': 'The generation whose reply this is.',
} as const;

/** The settings of the response cache in the headers and the preset of a request. */
export interface CacheOptions extends Omit<CacheTerms, 'fingerprint'> {
  readonly prefix: Prefix;
}

/** What is added to the name of a header for each further one. */
const SUFFIXES = ['', '-TTL', '-Clear', '-Share'] as const;

/** Undefined: the cache takes no part in the request (docs/use/response-cache.md#switches). */
export function readCacheOptions(headers: IncomingHttpHeaders, preset: PresetUse['cache']): CacheOptions | undefined {
  const given = (prefix: Prefix, suffix: string) => headers[`${prefix}${suffix}`.toLowerCase()];
  const valueOf = (suffix: string): string =>
    String(PREFIXES.map((prefix) => given(prefix, suffix)).find((value) => value !== undefined) ?? '').trim();
  const isOn = { true: true, false: false }[valueOf('').toLowerCase()];
  if (preset?.isOn === false || !(isOn ?? preset?.isOn ?? false)) return undefined;
  const ttl = /^\d+/.exec(valueOf('-TTL'))?.[0];
  const seconds = ttl === undefined ? (preset?.ttlSeconds ?? TTL_SECONDS.default) : Number(ttl);
  const isTrue = (suffix: string): boolean => valueOf(suffix).toLowerCase() === 'true';
  // A preset may switch the cache on: then any of the other headers shows the names that the client knows.
  const used = SUFFIXES.flatMap((suffix) => PREFIXES.filter((prefix) => given(prefix, suffix) !== undefined));
  return {
    prefix: used[0] ?? PREFIXES[0],
    ttlSeconds: Math.min(Math.max(seconds, TTL_SECONDS.min), TTL_SECONDS.max),
    clears: isTrue('-Clear'),
    shares: isTrue('-Share'),
  };
}

/** SHA-256 of route and body, hex: white space does not count, the order of keys does. */
export async function fingerprintOf(route: string, body: object): Promise<string> {
  const hash = createHash('sha256').update(`${route}\n`);
  for (const part of await printInSlices(body)) hash.update(part);
  return hash.digest('hex');
}

/** A start with the terms of the cache, which takes no part in rankings. */
export async function withCache(
  start: GenerationStart,
  { ttlSeconds, clears, shares }: CacheOptions,
  response: Response,
): Promise<GenerationStart> {
  if (start.api === 'rerank') return start;
  const fingerprint = await fingerprintOf(start.api, response.req.body as object);
  return { ...start, cache: { fingerprint, ttlSeconds, clears, shares } };
}

/** The response headers of what the cache did, by the names that the request used. */
export function cacheHeaders(prefix: Prefix, outcome: CacheOutcome): Record<string, string> {
  const { status, ageSeconds, leftSeconds, sourceId } = outcome;
  return {
    [`${prefix}-Status`]: status,
    [`${prefix}-TTL`]: String(leftSeconds),
    ...(ageSeconds !== undefined && { [`${prefix}-Age`]: String(ageSeconds) }),
    ...(sourceId !== undefined && { [`${prefix}-Source-Id`]: sourceId }),
  };
}

/** Ignored once the headers are sent. */
export function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  if (response.headersSent) return;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
