import type { Request } from 'express';
import { GatewayError } from '../../core/errors.js';
import { BASE_PATH } from './base-path.js';
import { baseUrlOf } from './own-address.js';
import type { ErrorFamily } from './error-views.js';
import { nearestName } from './nearest-name.js';
import { routesOf } from './route-table.js';

/** Segments at the end of a path that are compared with routes: the longest route has fewer. */
const SEGMENTS_MAX = 8;
/** Largest difference in length between a mistyped path and the intended route, in characters. */
const LENGTH_DIFFERENCE_MAX = 3;

/** Routes of other services that this gateway does not have, by their last segment, with the replacement. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  completions: '/chat/completions',
  complete: '/messages',
};

/** The 404 of an address without a route, in the form of the client's format. */
export class NoSuchAddress extends GatewayError {
  constructor(
    message: string,
    readonly family: ErrorFamily,
  ) {
    super('not-found', message);
  }
}

/**
 * Names the intended address and the base URL for the kind of client, where they can be recognised
 * (docs/use/conventions.md#wrong-addresses). Repeats nothing of the path.
 * @param path the whole path, without query
 */
export function noSuchAddress(request: Request, path: string): NoSuchAddress {
  const base = baseUrlOf(request);
  const meant = findMeant(request, path);
  const family = familyOf(request, meant ?? path);
  const sentence = meant === undefined ? 'There is no such address.' : `There is no such address; ${meant} was meant.`;
  return new NoSuchAddress(`${sentence} ${baseUrlHelp(base, family)}`, family);
}

function familyOf({ headers }: Request, path: string): ErrorFamily {
  if (/\/chat\/completions(?:\/|$)/i.test(path)) return 'chat';
  return headers['anthropic-version'] !== undefined || /\/messages(?:\/|$)/i.test(path) ? 'messages' : 'generic';
}

const baseUrlHelp = (base: string, family: ErrorFamily): string =>
  family === 'messages'
    ? `The base URL is ${base}/api for clients that append /v1/messages, as Anthropic's do, and ${base}${BASE_PATH} for those that append /messages.`
    : `The base URL is ${base}${BASE_PATH}; ${base}/docs lists the routes.`;

/**
 * The route at the end of the path, whatever precedes it, else the most similar one.
 * @returns `POST /api/v1/messages`
 */
function findMeant({ app, method }: Request, path: string): string | undefined {
  if (!isDecodable(path)) return undefined;
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .slice(-SEGMENTS_MAX);
  const replacement = method === 'POST' ? REPLACEMENTS[segments.at(-1) ?? ''] : undefined;
  if (replacement !== undefined && segments.at(-2) !== 'chat') return `POST ${BASE_PATH}${replacement}`;
  const routes = routesOf(app);
  for (let start = 0; start < segments.length; start++) {
    const end = segments.slice(start).join('/');
    for (const address of [`${BASE_PATH}/${end}`, `/${end}`]) {
      const { methods, pattern } = routes.at(address, method);
      if (methods.includes(method)) return `${method} ${pattern}`;
    }
  }
  const patterns = routes
    .patterns(method)
    .filter((pattern) => Math.abs(pattern.length - path.length) <= LENGTH_DIFFERENCE_MAX);
  const nearest = nearestName(path, patterns);
  return nearest === undefined ? undefined : `${method} ${nearest}`;
}

/** Routes are matched against decoded paths. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
