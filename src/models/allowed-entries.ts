import { allowsEndpoint, policyRules } from '../core/routing/callable-models.js';
import { withModelIds } from '../core/routing/resolve-model.js';
import type { RoutingPolicy } from '../core/routing/route-inputs.js';
import { allowsModel } from '../core/routing/rules.js';
import type { CatalogView } from './catalog-views.js';
import type { ModelEntry } from './model-entry.js';

/**
 * The models that policies let a caller use, each with the allowed endpoints: by the same rules as routing. A model
 * without allowed endpoints is left out.
 */
export function listAllowed(view: CatalogView, policies: readonly RoutingPolicy[]): readonly ModelEntry[] {
  const { entries } = view;
  if (policies.length === 0) return entries;
  const rules = policyRules(withModelIds(policies, view.catalog));
  const allowed: ModelEntry[] = [];
  for (const entry of entries) {
    const { model, endpoints } = entry;
    if (!allowsModel(rules, model.id)) continue;
    const left = endpoints.filter((endpoint) => allowsEndpoint(endpoint, model, rules));
    if (left.length === endpoints.length) allowed.push(entry);
    // Prices and limits of an unusable endpoint would mislead.
    else if (left.length > 0) allowed.push(view.narrow(entry, left));
  }
  return allowed;
}
