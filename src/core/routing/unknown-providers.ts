import { nearestNames } from '../nearest-names.js';
import { shortened } from '../shortened.js';
import type { Warning } from '../warning.js';
import type { CatalogSnapshot } from './catalog.js';
import type { UnknownProvider } from './plan.js';
import type { ProviderPreferences } from './preferences.js';
import { isKnownProvider, readSlug } from './slug.js';

const LISTS = ['only', 'order', 'ignore'] as const;
/** Limit of reported entries: a list may be long. */
const REPORTED_MAX = 8;
const NEAREST_MAX = 3;

/**
 * The entries of `only`, `order` and `ignore` that are neither listed in docs/use/choosing-providers.md#provider-names
 * nor in the catalog. They are not errors: a client's list may name providers of other gateways or future ones.
 */
export function findUnknownProviders(
  preferences: ProviderPreferences,
  { providers }: Pick<CatalogSnapshot, 'providers'>,
): readonly UnknownProvider[] {
  const unknown: UnknownProvider[] = [];
  for (const list of LISTS) {
    const entries = preferences[list] ?? [];
    for (let index = 0; index < entries.length && unknown.length < REPORTED_MAX; index++) {
      const entry = entries[index]!;
      if (isKnownProvider(readSlug(entry), providers.values())) continue;
      const [slug = ''] = entry.split('/', 1);
      const nearest = nearestNames(slug, providers.keys(), NEAREST_MAX);
      unknown.push({ field: `provider.${list}.${index}`, name: shortened(entry), nearest });
    }
  }
  return unknown;
}

/** Explains why an entry has no effect. */
export function unknownProviderWarning({ field, name, nearest }: UnknownProvider): Warning {
  const meant = nearest.length > 0 ? `, the nearest known: ${nearest.join(', ')}` : '';
  return { field, message: `${JSON.stringify(name)} is no known provider and matches nothing${meant}` };
}
