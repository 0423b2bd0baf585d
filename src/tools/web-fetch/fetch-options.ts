import { domainFilter } from '../../core/domains.js';
import { GatewayError } from '../../core/errors.js';
import { isJsonObject, type Json } from '../../core/json/json.js';
import { parameterPath, type RequestedTool } from '../../core/tool.js';
import { readDomains } from '../domain-list.js';

/** Maximum number of uses in one request, as published. */
export const USES_MAX = 50;
/** Maximum number of tokens that a model is sent of one page. Chosen: 60 printed pages have fewer. */
const CONTENT_TOKENS_DEFAULT = 100_000;
const CONTENT_TOKENS_MAX = 250_000;

/** Options of fetching pages in one generation. */
export interface FetchOptions {
  readonly engine: string;
  readonly usesMax: number;
  readonly tokensMax: number;
  readonly hasCitations: boolean;
  readonly allows: (url: string) => boolean;
}

/** Reads the requested options. @throws GatewayError naming the field that cannot be read */
export function readFetchOptions(requested: RequestedTool): FetchOptions {
  const pathOf = (name: string): string => parameterPath(requested, name);
  const { engine, max_uses, max_content_tokens, allowed_domains, blocked_domains, citations } = requested.parameters;
  const allowedDomains = readDomains(allowed_domains, pathOf('allowed_domains'));
  const blockedDomains = readDomains(blocked_domains, pathOf('blocked_domains'));
  return {
    engine: typeof engine === 'string' ? engine : 'auto',
    usesMax: Math.min(readCount(max_uses, pathOf('max_uses'), 0) ?? USES_MAX, USES_MAX),
    tokensMax: Math.min(
      readCount(max_content_tokens, pathOf('max_content_tokens'), 1) ?? CONTENT_TOKENS_DEFAULT,
      CONTENT_TOKENS_MAX,
    ),
    hasCitations: isJsonObject(citations) && citations['enabled'] === true,
    // An empty list counts as absent, as with vendors.
    allows: domainFilter({ ...(allowedDomains.length > 0 && { allowedDomains }), blockedDomains }),
  };
}

function readCount(value: Json | undefined, path: string, least: number): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least) return value;
  throw new GatewayError('invalid-request', `${path}: must be a whole number of at least ${least}`);
}
