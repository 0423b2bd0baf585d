import type { Candidate } from './candidate.js';
import type { Endpoint, Model } from './catalog.js';
import { inOrder, listCopies } from './credential-copies.js';
import { NO_PREFERENCES } from './preferences.js';
import { addCandidates } from './prepared-model.js';
import type { RouteInputs, RouteNeeds, RoutingPolicy } from './route-inputs.js';
import { allowsModel, findExclusion, readRules, type Rules } from './rules.js';

/** A request with no needs: only policies can exclude something then. */
const NO_NEEDS: RouteNeeds = {
  requested: '',
  models: [],
  movesOnRefusal: false,
  preferences: NO_PREFERENCES,
  parameters: [],
  modalities: [],
  promptTokensMin: 0,
  tier: 'standard',
};

/** The rules of policies alone, without a request. @param policies with ids of models, as returned by `withModelIds` */
export const policyRules = (policies: readonly RoutingPolicy[]): Rules => readRules(NO_PREFERENCES, policies);

/** Whether policies allow an endpoint in at least one tier: a policy may name a single tier. */
export function allowsEndpoint(endpoint: Endpoint, model: Model, rules: Rules): boolean {
  const tiers: Candidate[] = [];
  addCandidates(endpoint, model, tiers);
  return tiers.some((candidate) => findExclusion(candidate, rules, NO_NEEDS) === undefined);
}

/**
 * The models that a caller could request by name, in the catalog's order. Each has the endpoints that policies allow
 * and for which the operator or the caller has a credential.
 */
export function callableModels({
  catalog,
  policies,
  credentials,
  offersSharedCredential,
}: Pick<RouteInputs, 'catalog' | 'policies' | 'credentials' | 'offersSharedCredential'>): Model[] {
  const rules = policyRules(policies);
  const ordered = inOrder(credentials);
  const callable: Model[] = [];
  for (const model of catalog.models.values()) {
    if (!allowsModel(rules, model.id)) continue;
    const endpoints = model.endpoints.filter(
      (endpoint) =>
        listCopies(endpoint.provider, model.id, ordered, offersSharedCredential(endpoint.provider)).length > 0 &&
        allowsEndpoint(endpoint, model, rules),
    );
    if (endpoints.length > 0) callable.push({ ...model, endpoints });
  }
  return callable;
}
