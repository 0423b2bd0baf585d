import type { ModelRequest } from '../../core/conversation/request.js';
import type { CatalogProvider, CatalogSnapshot } from '../../core/routing/catalog.js';
import type { HealthSnapshot } from '../../core/routing/health.js';
import type { Plan } from '../../core/routing/plan.js';
import { planRoute } from '../../core/routing/plan-route.js';
import type { RouteInputs } from '../../core/routing/route-inputs.js';
import { routeNeeds } from '../../core/routing/route-needs.js';

/** Facts about providers that the code states in addition to the catalog. */
export interface KnownProviders {
  /** Whether a field that a request sets reaches such an endpoint through its dialect. */
  carries(...args: Parameters<NonNullable<RouteInputs['supportsField']>>): boolean;
  /**
   * The first part of a request with requirements that such an endpoint would not receive; undefined: it receives all.
   */
  unmetBy(target: Parameters<NonNullable<RouteInputs['unmetRequirement']>>[0], request: ModelRequest): string | undefined;
  /** True when calls to the provider carry a credential. */
  wantsCredential(provider: CatalogProvider): boolean;
}

/** One seed for both catalogs, so that differences between plans come from the catalogs. */
const SEED = 'catalog:check';

/** No endpoint has figures. */
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
  // The request represents requests of the model's own task.
  const task = catalog.models.get(request.model)?.task;
  const needs = { ...routeNeeds(request, catalog), ...(task && { task }) };
  const plan = planRoute({
    needs: promptTokensMin === undefined ? needs : { ...needs, promptTokensMin },
    catalog,
    health: UNKNOWN_HEALTH,
    credentials: [],
    offersSharedCredential: () => true,
    supportsField: (target, parameter) => known.carries(target, parameter),
    unmetRequirement: request.preferences.requireParameters ? (target) => known.unmetBy(target, request) : undefined,
    policies: [],
    seed: SEED,
  });
  if (!plan) throw new RangeError(`${request.model} is no model of the catalog`);
  return plan;
}
