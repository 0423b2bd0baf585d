import { Injectable } from '@nestjs/common';
import { RoutingPolicies } from '../accounts/routing-policies.js';
import { CredentialStore } from '../byok/credential-store.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { Caller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { GatewayError } from '../core/errors.js';
import { newSeed } from '../core/ids.js';
import { assertKnownProviders, assertNoContradiction } from '../core/routing/assert-preferences.js';
import { DOCS_URL, MODEL_SHOWN_CHARACTERS_MAX } from '../core/routing/no-route-error.js';
import type { Plan } from '../core/routing/plan.js';
import { planRoute } from '../core/routing/plan-route.js';
import type { RouteInputs, RoutingPolicy } from '../core/routing/route-inputs.js';
import { routeNeeds, withDefaultSort } from '../core/routing/route-needs.js';
import type { Secret } from '../core/secret.js';
import { HealthRegistry } from '../health/health-registry.js';
import { ProviderRegistry } from '../providers/registry.js';
import { SessionPins } from './session-pins.js';

/** The text of a credential of the caller's own, as it is now; undefined where it has gone since. */
export type RevealCredential = (id: string) => Promise<Secret | undefined>;

/** A plan with what it was made from. */
export interface RouteResult {
  readonly inputs: RouteInputs;
  /** Without legs where nothing is left. */
  readonly plan: Plan;
  readonly reveal: RevealCredential;
}

/**
 * Gathers the pure planner's inputs: catalog, health, credentials, policies, session. No upstream call is made here.
 */
@Injectable()
export class RoutePlanner {
  private readonly isShared: RouteInputs['isShared'];

  constructor(
    private readonly catalog: CatalogStore,
    providers: ProviderRegistry,
    private readonly health: HealthRegistry,
    private readonly pins: SessionPins,
    private readonly credentials: CredentialStore,
    private readonly policies: RoutingPolicies,
  ) {
    this.isShared = providers.isReachable.bind(providers);
  }

  /**
   * @param guardrails what they allow, beside the caller's account and workspace
   * @param seed gives the same draw again
   * @throws GatewayError `not-found` for an unknown model, `invalid-request` for unknown or contradictory providers,
   * `unavailable` where the store does not say in time what the caller may use
   */
  async plan(
    request: ModelRequest,
    caller: Caller,
    guardrails: readonly RoutingPolicy[],
    seed = newSeed(),
  ): Promise<RouteResult> {
    const [credentials, own] = await Promise.all([this.credentials.usableBy(caller), this.policies.of(caller)]);
    const policies = guardrails.length > 0 ? [...own, ...guardrails] : own;
    const catalog = this.catalog.current();
    const { preferences } = request;
    if (preferences.order || preferences.only || preferences.ignore) {
      assertKnownProviders(preferences, catalog);
      assertNoContradiction(preferences);
    }
    const needs = routeNeeds(request);
    const inputs: RouteInputs = {
      needs: policies.length > 0 ? withDefaultSort(needs, policies) : needs,
      catalog,
      health: this.health.snapshot(),
      credentials,
      isShared: this.isShared,
      policies,
      session: this.pins.inputsOf(caller, request),
      seed,
    };
    const plan = planRoute(inputs);
    if (plan) return { inputs, plan, reveal: (id) => this.credentials.reveal(caller, id) };
    throw unknownModel(request.model);
  }
}

function unknownModel(model: string): GatewayError {
  const shown = model.slice(0, MODEL_SHOWN_CHARACTERS_MAX);
  return new GatewayError('not-found', `model: ${JSON.stringify(shown)} is not in the catalog`, {
    availability: { code: 'model_not_found', retryable: false, requested_models: [shown], docs_url: DOCS_URL },
  });
}
