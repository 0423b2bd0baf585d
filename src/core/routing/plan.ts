import type { CatalogProvider, CatalogSnapshot, Endpoint, Model } from './catalog.js';

/** One attempt that may be made: a model at an endpoint. */
export interface Leg {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/** Why a candidate was left out. */
export interface Exclusion {
  readonly tag: string;
  readonly reason: 'no-credential' | 'unpriced';
}

/** The attempts of one request, in order, and why the others are not among them. */
export interface Plan {
  readonly requested: string;
  readonly legs: readonly Leg[];
  readonly excluded: readonly Exclusion[];
}

/**
 * Plans a request for one model: its endpoints in the catalog's order that the operator can reach.
 * @returns undefined when the catalog has no such model
 */
export function planRequest(
  requested: string,
  catalog: CatalogSnapshot,
  reachable: (provider: CatalogProvider) => boolean,
): Plan | undefined {
  const model = catalog.models.get(requested);
  if (!model) return undefined;
  const legs: Leg[] = [];
  const excluded: Exclusion[] = [];
  for (const endpoint of model.endpoints) {
    if (reachable(endpoint.provider)) legs.push({ model, endpoint });
    else excluded.push({ tag: endpoint.tag, reason: 'no-credential' });
  }
  return { requested, legs, excluded };
}
