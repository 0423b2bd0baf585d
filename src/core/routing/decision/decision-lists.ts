import type { CatalogProvider } from '../catalog.js';
import { matchesModel } from '../model-pattern.js';
import type { ProviderPreferences } from '../preferences.js';
import type { RouteNeeds, RoutingPolicy } from '../route-inputs.js';
import { namesProvider, readSlug } from '../slug.js';

// Reduces the lists of a request and its policies to the entries about the request's own models and providers. A
// decision record keeps only these.

/** The providers that serve any of a request's models, by slug. */
export type Providers = ReadonlyMap<string, CatalogProvider>;

const MODEL_LISTS = ['onlyModels', 'keyModels', 'ignoreModels'] as const;

/** Keeps the model patterns that match at least one of the request's models. */
export function withoutOtherModels(policy: RoutingPolicy, { models }: RouteNeeds): RoutingPolicy {
  let shorter = policy;
  for (const list of MODEL_LISTS) {
    const patterns = policy[list];
    if (!patterns) continue;
    const fitting = patterns.filter((pattern) => models.some(({ id }) => matchesModel(pattern, id)));
    shorter = { ...shorter, [list]: fitting };
  }
  return shorter;
}

const LISTS = ['order', 'only', 'ignore'] as const;

/** Drops unrelated providers: an enterprise's allow-list names many. */
export function withoutUnrelatedProviders<T extends ProviderPreferences | RoutingPolicy>(
  lists: T,
  providers: Providers,
): T {
  let shorter = lists;
  for (const list of LISTS) {
    const entries = (lists as ProviderPreferences)[list];
    if (entries) shorter = { ...shorter, [list]: keepingOne(entries, providers) };
  }
  return shorter;
}

/** Keeps one entry of a list that matches nothing, because an empty list could mean that none was given. */
function keepingOne(entries: readonly string[], providers: Providers): readonly string[] {
  const named = entries.filter((entry) => {
    const pattern = readSlug(entry);
    for (const provider of providers.values()) if (namesProvider(pattern, provider)) return true;
    return false;
  });
  return named.length > 0 ? named : entries.slice(0, 1);
}
