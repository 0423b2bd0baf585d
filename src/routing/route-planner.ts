import { Injectable } from '@nestjs/common';
import { CredentialStore } from '../byok/credential-store.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { Caller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { newSeed } from '../core/ids.js';
import { assertNoContradiction } from '../core/routing/assert-preferences.js';
import { forAdvisors } from '../core/routing/name-advisors.js';
import type { StoredCredential } from '../core/routing/credential.js';
import { noSuchModel } from '../core/routing/no-such-model.js';
import { otherTaskError } from '../core/routing/other-task-error.js';
import type { Plan } from '../core/routing/plan.js';
import { planRoute } from '../core/routing/plan-route.js';
import type { ChoiceInputs, NamedChoice, RouteInputs, RoutingPolicy } from '../core/routing/route-inputs.js';
import { withAllowedIds, withModelIds } from '../core/routing/resolve-model.js';
import { routeNeeds, withDefaultSort } from '../core/routing/route-needs.js';
import { unknownProviderWarning } from '../core/routing/unknown-providers.js';
import type { Warning } from '../core/warning.js';
import type { Secret } from '../core/secret.js';
import { HealthRegistry } from '../endpoint-health/health-registry.js';
import { ProviderRegistry } from '../providers/registry.js';
import { SessionPins } from './session-pins.js';

/** Reads the current secret of a caller's own credential; undefined where it has been deleted. */
export type RevealCredential = (id: string) => Promise<Secret | undefined>;

/** A plan with the data it was made from. */
export interface RouteResult {
  readonly inputs: RouteInputs;
  /** A plan that has no legs if every candidate was excluded. */
  readonly plan: Plan;
  /** Absent: the request names its models. */
  readonly choice?: NamedChoice | undefined;
  readonly reveal: RevealCredential;
  /** Warnings about entries of the request's lists that match nothing; absent: none are known. */
  readonly warnings?: readonly Warning[] | undefined;
}

/** Options of a plan besides its request. */
export interface RouteOptions {
  /** Repeats a draw. */
  readonly seed?: string | undefined;
  /** Chooses models to replace the name in the request. */
  readonly choose?: ((inputs: ChoiceInputs) => NamedChoice) | undefined;
  /** Longest context in tokens that the request is shortened for where it is too long. */
  readonly shortensTo?: number | undefined;
}

/** Collects the pure planner's inputs: catalog, health, credentials, policies, session. Makes no upstream call. */
@Injectable()
export class RoutePlanner {
  private readonly offersSharedCredential: RouteInputs['offersSharedCredential'];
  private readonly supportsField: NonNullable<RouteInputs['supportsField']>;

  constructor(
    private readonly catalog: CatalogStore,
    private readonly providers: ProviderRegistry,
    private readonly health: HealthRegistry,
    private readonly pins: SessionPins,
    private readonly credentials: CredentialStore,
  ) {
    this.offersSharedCredential = providers.isReachable.bind(providers);
    this.supportsField = providers.carries.bind(providers);
  }

  /**
   * Synchronous while the caller's credentials are cached.
   * @param allowing what the caller's account, workspace, key and guardrails allow
   * @throws GatewayError `not-found` for an unknown model, `invalid-request` for contradictory providers and for models
   * of another task, `unavailable` where the store does not return the caller's credentials in time
   */
  plan(
    request: ModelRequest,
    caller: Caller,
    allowing: readonly RoutingPolicy[],
    options: RouteOptions = {},
  ): RouteResult | Promise<RouteResult> {
    const stored = this.credentials.usableBy(caller);
    return stored instanceof Promise
      ? stored.then((late) => this.planFor(request, caller, late, allowing, options))
      : this.planFor(request, caller, stored, allowing, options);
  }

  private planFor(
    request: ModelRequest,
    caller: Caller,
    stored: readonly StoredCredential[],
    allowing: readonly RoutingPolicy[],
    { seed = newSeed(), choose, shortensTo }: RouteOptions,
  ): RouteResult {
    const { offersSharedCredential, supportsField } = this;
    const { preferences, extras } = request;
    if (preferences.only && preferences.ignore) assertNoContradiction(preferences);
    const catalog = this.catalog.current;
    const policies = allowing.length > 0 ? withModelIds(allowing, catalog) : allowing;
    const credentials = stored.length > 0 ? forAdvisors(withAllowedIds(stored, catalog), request, catalog) : stored;
    const health = this.health.snapshot(caller.keyHash);
    const session = this.pins.inputsOf(caller, request);
    const acceptsUndeclaredField = extras ? this.acceptsUndeclaredFieldOf(request) : undefined;
    const unmetRequirement = preferences.requireParameters === true ? this.unmetRequirementOf(request) : undefined;
    const choice = choose?.({
      catalog, health, credentials, offersSharedCredential, supportsField, policies, session, seed, acceptsUndeclaredField, unmetRequirement, shortensTo,
    }); // oxfmt-ignore
    const own = routeNeeds(request, catalog, choice, shortensTo);
    const needs = policies.length > 0 ? withDefaultSort(own, policies) : own;
    const inputs: RouteInputs = {
      needs, catalog, health, credentials, offersSharedCredential, supportsField, policies, session, seed, acceptsUndeclaredField, unmetRequirement,
    }; // oxfmt-ignore
    const plan = planRoute(inputs);
    if (!plan) throw noSuchModel(request.model, catalog);
    const otherTask = plan.legs.length === 0 ? otherTaskError(plan, needs.task, catalog) : undefined;
    if (otherTask) throw otherTask;
    const warnings = plan.unknownProviders || choice?.warnings ? warningsOf(plan, choice) : undefined;
    return { inputs, plan, choice, warnings, reveal: stored.length > 0 ? this.revealTo(caller) : revealNothing };
  }

  private acceptsUndeclaredFieldOf(request: ModelRequest): RouteInputs['acceptsUndeclaredField'] {
    return (target, field) => this.providers.passes(target, request, field);
  }

  private unmetRequirementOf(request: ModelRequest): RouteInputs['unmetRequirement'] {
    return (target) => this.providers.unmetBy(target, request);
  }

  private revealTo(caller: Caller): RevealCredential {
    return (id) => this.credentials.reveal(caller, id);
  }
}

const warningsOf = ({ unknownProviders = [] }: Plan, choice: NamedChoice | undefined): readonly Warning[] => [
  ...unknownProviders.map(unknownProviderWarning),
  ...(choice?.warnings ?? []),
];

/** For callers without own credentials. */
const revealNothing: RevealCredential = () => Promise.resolve(undefined);
