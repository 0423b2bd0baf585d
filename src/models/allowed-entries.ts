import type { Candidate } from '../core/routing/candidate.js';
import { addCandidates } from '../core/routing/candidates.js';
import type { Endpoint, Model } from '../core/routing/catalog.js';
import { withModelIds } from '../core/routing/resolve-model.js';
import type { RouteNeeds, RoutingPolicy } from '../core/routing/route-inputs.js';
import { allowsModel, findExclusion, readRules, type Rules } from '../core/routing/rules.js';
import type { CatalogView } from './catalog-views.js';
import type { ModelEntry } from './model-entry.js';

/** A request that asks for nothing: what is left out then is left out by policies alone. */
const NO_NEEDS: RouteNeeds = {
  requested: '',
  models: [],
  movesOnRefusal: false,
  preferences: {},
  parameters: [],
  modalities: [],
  promptTokensMin: 0,
  tier: 'standard',
};

/**
 * The models that policies let a caller use, each with the endpoints they let it use: by the same rules as routing. A
 * model none of whose endpoints is left is left out.
 */
export function listAllowed(view: CatalogView, policies: readonly RoutingPolicy[]): readonly ModelEntry[] {
  const { entries } = view;
  if (policies.length === 0) return entries;
  const rules = readRules(NO_NEEDS, withModelIds(policies, view.catalog));
  const allowed: ModelEntry[] = [];
  for (const entry of entries) {
    const { model, endpoints } = entry;
    if (!allowsModel(rules, model.id)) continue;
    const left = endpoints.filter((endpoint) => allowsEndpoint(endpoint, model, rules));
    if (left.length === endpoints.length) allowed.push(entry);
    // Prices and limits of an endpoint that cannot be had would mislead.
    else if (left.length > 0) allowed.push(view.narrow(entry, left));
  }
  return allowed;
}

/** In one of its tiers at least: a policy may name a tier alone. */
function allowsEndpoint(endpoint: Endpoint, model: Model, rules: Rules): boolean {
  const tiers: Candidate[] = [];
  addCandidates(endpoint, model, 0, tiers);
  return tiers.some((candidate) => findExclusion(candidate, rules) === undefined);
}
