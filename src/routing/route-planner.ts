import { Injectable } from '@nestjs/common';
import { RoutingPolicies } from '../accounts/routing-policies.js';
import { CredentialStore } from '../byok/credential-store.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { Caller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { newSeed } from '../core/ids.js';
import { assertNoContradiction } from '../core/routing/assert-preferences.js';
import { forAdvisors } from '../core/routing/name-advisors.js';
import { noSuchModel } from '../core/routing/no-such-model.js';
import type { Plan } from '../core/routing/plan.js';
import { planRoute } from '../core/routing/plan-route.js';
import type { ChoiceInputs, NamedChoice, RouteInputs, RoutingPolicy } from '../core/routing/route-inputs.js';
import { withAllowedIds, withModelIds } from '../core/routing/resolve-model.js';
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
  /** Absent: the request names its models. */
  readonly choice?: NamedChoice;
  readonly reveal: RevealCredential;
}

/** What a plan may be asked for beside its request. */
export interface PlanOptions {
  /** Gives the same draw again. */
  readonly seed?: string | undefined;
  /** Chooses models in the place of the name that the request has. */
  readonly choose?: ((inputs: ChoiceInputs) => NamedChoice) | undefined;
  /** Most tokens of the context of endpoints that the request is shortened for where it is too long for them. */
  readonly shortensTo?: number | undefined;
}

/**
 * Gathers the pure planner's inputs: catalog, health, credentials, policies, session. No upstream call is made here.
 */
@Injectable()
export class RoutePlanner {
  private readonly isShared: RouteInputs['isShared'];
  private readonly carries: NonNullable<RouteInputs['carries']>;

  constructor(
    private readonly catalog: CatalogStore,
    private readonly providers: ProviderRegistry,
    private readonly health: HealthRegistry,
    private readonly pins: SessionPins,
    private readonly credentials: CredentialStore,
    private readonly policies: RoutingPolicies,
  ) {
    this.isShared = providers.isReachable.bind(providers);
    this.carries = providers.carries.bind(providers);
  }

  /**
   * @param guardrails what they allow, beside the caller's account and workspace
   * @throws GatewayError `not-found` for an unknown model, `invalid-request` for contradictory providers, `unavailable`
   * where the store does not say in time what the caller may use
   */
  async plan(
    request: ModelRequest,
    caller: Caller,
    guardrails: readonly RoutingPolicy[],
    { seed = newSeed(), choose, shortensTo }: PlanOptions = {},
  ): Promise<RouteResult> {
    const [stored, own] = await Promise.all([this.credentials.usableBy(caller), this.policies.of(caller)]);
    const catalog = this.catalog.current();
    const policies = withModelIds(guardrails.length > 0 ? [...own, ...guardrails] : own, catalog);
    const { preferences } = request;
    if (preferences.only && preferences.ignore) assertNoContradiction(preferences);
    const known: Omit<RouteInputs, 'needs'> = {
      catalog,
      health: this.health.snapshot(caller.keyHash),
      credentials: forAdvisors(withAllowedIds(stored, catalog), request, catalog),
      isShared: this.isShared,
      carries: this.carries,
      policies,
      session: this.pins.inputsOf(caller, request),
      seed,
      ...(request.extras && { passes: (target, field) => this.providers.passes(target, request, field) }),
    };
    const choice = choose?.({ ...known, shortensTo });
    const needs = routeNeeds(request, catalog, choice, shortensTo);
    const inputs: RouteInputs = { needs: policies.length > 0 ? withDefaultSort(needs, policies) : needs, ...known };
    const plan = planRoute(inputs);
    const reveal: RevealCredential = (id) => this.credentials.reveal(caller, id);
    if (plan) return { inputs, plan, ...(choice && { choice }), reveal };
    throw noSuchModel(request.model, catalog);
  }
}
