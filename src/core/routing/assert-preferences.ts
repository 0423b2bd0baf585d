import { GatewayError } from '../errors.js';
import type { CatalogSnapshot } from './catalog.js';
import type { ProviderPreferences } from './preferences.js';
import { coversSlug, isKnownProvider, readSlug } from './slug.js';

const LISTS = ['order', 'only', 'ignore'] as const;
const ENTRY_SHOWN_CHARACTERS_MAX = 100;

/**
 * A provider that is misspelt would otherwise be skipped (`order`), forbid all others (`only`), or still be used
 * (`ignore`).
 * @throws GatewayError `invalid-request` for an entry of `order`, `only` or `ignore` that is neither on a list of
 * docs/wire/routing.md#provider-names or docs/byok.md#provider-slugs nor in the catalog
 */
export function assertKnownProviders(preferences: ProviderPreferences, catalog: CatalogSnapshot): void {
  for (const list of LISTS) {
    const entries = preferences[list] ?? [];
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index]!;
      if (isKnownProvider(readSlug(entry), catalog.providers.values())) continue;
      const shown = JSON.stringify(entry.slice(0, ENTRY_SHOWN_CHARACTERS_MAX));
      throw new GatewayError(
        'invalid-request',
        `provider.${list}.${index}: ${shown} is no known provider; name one by its slug, such as "openai" or "groq"`,
      );
    }
  }
}

/**
 * @throws GatewayError `invalid-request` when `ignore` takes back everything `only` allows: whatever the catalog has,
 * nothing could answer
 */
export function assertNoContradiction({ only = [], ignore = [] }: ProviderPreferences): void {
  if (only.length === 0 || ignore.length === 0) return;
  const ignored = ignore.map(readSlug);
  if (!only.every((entry) => ignored.some((pattern) => coversSlug(pattern, readSlug(entry))))) return;
  throw new GatewayError(
    'invalid-request',
    'provider.only: every entry is in provider.ignore as well, so no provider is left; take it out of one of the two',
  );
}
