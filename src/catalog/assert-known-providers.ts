import { GatewayError } from '../core/errors.js';
import type { CatalogSnapshot } from '../core/routing/catalog.js';
import { isKnownProvider, readSlug } from '../core/routing/slug.js';
import { shortened } from '../core/shortened.js';

/**
 * Checks that the slugs of a list are published or in the catalog: a misspelt one would forbid all others, or have no
 * effect.
 * @throws GatewayError `invalid-request` naming the first unknown entry
 */
export function assertKnownProviders(
  field: string,
  entries: readonly string[] | null | undefined,
  { providers }: CatalogSnapshot,
): void {
  entries?.forEach((entry, index) => {
    if (isKnownProvider(readSlug(entry), providers.values())) return;
    const shown = JSON.stringify(shortened(entry));
    throw new GatewayError(
      'invalid-request',
      `${field}.${index}: ${shown} is no known provider; name one by its slug, such as "openai" or "groq"`,
    );
  });
}
