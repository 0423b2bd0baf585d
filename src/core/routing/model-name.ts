import type { NamedModel } from './route-inputs.js';
import type { Sort } from './preferences.js';

/**
 * Suffixes that affect the routing of any model (docs/use/choosing-providers.md#suffixes-of-models). All others are
 * part of a catalog id.
 */
export const ROUTING_SUFFIXES = ['nitro', 'floor', 'exacto', 'online'] as const;
type RoutingSuffix = (typeof ROUTING_SUFFIXES)[number];

const SORT_OF: Readonly<Record<RoutingSuffix, Sort | undefined>> = {
  nitro: 'throughput',
  floor: 'price',
  exacto: 'exacto',
  online: undefined,
};

/** A model as a request names it. */
export interface ModelName extends NamedModel {
  /** `:online` requests the `web` plugin. */
  readonly online: boolean;
}

/**
 * Parses `author/slug[:suffix…]`. Routing suffixes are removed at any position; the rest is the id with its catalogue
 * variants, so that a variant the catalog does not have never becomes the plain model
 * (docs/use/choosing-providers.md#suffixes-of-models).
 */
export function readModelName(name: string): ModelName {
  if (!name.includes(':')) return { id: name, online: false };
  const [base, ...suffixes] = name.split(':');
  let id = base!;
  let sort: Sort | undefined;
  let online = false;
  for (const suffix of suffixes) {
    if (!isRoutingSuffix(suffix)) id += `:${suffix}`;
    else if (suffix === 'online') online = true;
    else sort = SORT_OF[suffix];
  }
  return { id, ...(sort && { sort }), online };
}

export const isRoutingSuffix = (suffix: string): suffix is RoutingSuffix => Object.hasOwn(SORT_OF, suffix);
