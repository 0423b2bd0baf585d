import type { CatalogProvider } from './catalog.js';
import { matchesModel } from './model-pattern.js';
import type { ProviderPreferences } from './preferences.js';
import type { RouteNeeds, RoutingPolicy } from './route-inputs.js';
import { namesProvider, readSlug } from './slug.js';

// Lists of a request and its policies, as far as they speak of what is in question: all that a decision keeps of them.

/** By slug, the providers that serve any of a request's models. */
export type Providers = ReadonlyMap<string, CatalogProvider>;

const MODEL_LISTS = ['onlyModels', 'keyModels', 'ignoreModels'] as const;

/** Of the patterns of models, those that fit any of the request's. */
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

/** An allow-list of an enterprise names many providers that have nothing to do with this request. */
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

/** Of a list that names none, one entry stays: an empty list could mean that none was given. */
function keepingOne(entries: readonly string[], providers: Providers): readonly string[] {
  const named = entries.filter((entry) => {
    const pattern = readSlug(entry);
    for (const provider of providers.values()) if (namesProvider(pattern, provider)) return true;
    return false;
  });
  return named.length > 0 ? named : entries.slice(0, 1);
}
