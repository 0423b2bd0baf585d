import type { ModelRequest } from '../../core/conversation/request.js';
import type { CatalogProvider, CatalogSnapshot } from '../../core/routing/catalog.js';
import type { HealthSnapshot } from '../../core/routing/health.js';
import type { Plan } from '../../core/routing/plan.js';
import { planRoute } from '../../core/routing/plan-route.js';
import type { RouteInputs } from '../../core/routing/route-inputs.js';
import { routeNeeds } from '../../core/routing/route-needs.js';

/** What the code knows of providers in addition to the catalog. */
export interface KnownProviders {
  /** Whether a field that a request sets reaches such an endpoint through its dialect. */
  carries(...args: Parameters<NonNullable<RouteInputs['carries']>>): boolean;
  /** What such an endpoint would not be sent of a request that requires it; undefined: all is sent. */
  unmetBy(target: Parameters<NonNullable<RouteInputs['unmet']>>[0], request: ModelRequest): string | undefined;
  /** True when calls to the provider carry a credential. */
  wantsCredential(provider: CatalogProvider): boolean;
}

/** The same for both catalogs, so that differences between plans come from the catalogs. */
const SEED = 'catalog:check';

/** Nothing is known of any endpoint. */
const UNKNOWN_HEALTH: HealthSnapshot = { find: () => undefined };

/**
 * The plan of a request by the catalog alone: every provider can be called, none has failed, and no policy narrows the
 * request.
 * @param promptTokensMin replaces a prompt of that length, which is not constructed
 * @throws RangeError for a model that the catalog does not have
 */
export function planNeutrally(
  request: ModelRequest,
  catalog: CatalogSnapshot,
  known: Pick<KnownProviders, 'carries' | 'unmetBy'>,
  promptTokensMin?: number,
): Plan {
  const needs = routeNeeds(request, catalog);
  const plan = planRoute({
    needs: promptTokensMin === undefined ? needs : { ...needs, promptTokensMin },
    catalog,
    health: UNKNOWN_HEALTH,
    credentials: [],
    isShared: () => true,
    carries: (target, parameter) => known.carries(target, parameter),
    unmet: request.preferences.requireParameters ? (target) => known.unmetBy(target, request) : undefined,
    policies: [],
    seed: SEED,
  });
  if (!plan) throw new RangeError(`${request.model} is no model of the catalog`);
  return plan;
}
