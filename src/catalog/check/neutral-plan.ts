import type { ModelRequest } from '../../core/conversation/request.js';
import type { CatalogProvider, CatalogSnapshot } from '../../core/routing/catalog.js';
import type { HealthSnapshot } from '../../core/routing/health.js';
import type { Plan } from '../../core/routing/plan.js';
import { planRoute } from '../../core/routing/plan-route.js';
import type { RouteInputs } from '../../core/routing/route-inputs.js';
import { routeNeeds } from '../../core/routing/route-needs.js';

/** What the code knows of providers, beside what the catalog says of them. */
export interface KnownProviders {
  /** Whether a field that a request sets reaches such an endpoint, by what its dialect sends. */
  carries(...asked: Parameters<NonNullable<RouteInputs['carries']>>): boolean;
  /** True when calls to the provider carry a credential. */
  wantsCredential(provider: CatalogProvider): boolean;
}

/** Plans of two catalogs are drawn from the same, so that what differs is theirs. */
const SEED = 'catalog:check';

/** Nothing is known of any endpoint. */
const UNKNOWN_HEALTH: HealthSnapshot = { find: () => undefined };

/**
 * The plan of a request by the catalog alone: every provider can be called, nobody has failed, and no policy narrows
 * what the request asks for.
 * @param promptTokensMin stands for a prompt of that length, which is then not made
 * @throws RangeError for a model that the catalog does not have
 */
export function planNeutrally(
  request: ModelRequest,
  catalog: CatalogSnapshot,
  known: Pick<KnownProviders, 'carries'>,
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
    policies: [],
    seed: SEED,
  });
  if (!plan) throw new RangeError(`${request.model} is no model of the catalog`);
  return plan;
}
