import type { CatalogProvider } from './catalog.js';
import { findSlugOfName, normalizeName, postingsTo, isKnownName } from './known-providers.js';
import { SERVICE_TIERS, type ServiceTier } from './plan.js';

/** An entry of `order`, `only` or `ignore`, read (docs/wire/routing.md#provider-names). */
export interface SlugPattern {
  /** What stands before the first slash, normalized: a slug or a display name. */
  readonly provider: string;
  /** The normalized slug, where `provider` is a display name with other letters. */
  readonly slug?: string;
  /** What stands behind the first slash, in lower case: `turbo`, `priority`, `turbo/priority`. Absent: a base slug. */
  readonly tail?: string;
}

/** What a pattern is held against: an endpoint in one tier. */
export interface Tagged {
  readonly provider: CatalogProvider;
  readonly tier: ServiceTier;
  /** The provider's slug, then variant and tier. */
  readonly tag: string;
}

export function readSlug(entry: string): SlugPattern {
  const slash = entry.indexOf('/');
  const provider = normalizeName(slash === -1 ? entry : entry.slice(0, slash));
  const slug = findSlugOfName(provider);
  return {
    provider,
    ...(slug !== undefined && { slug }),
    ...(slash !== -1 && { tail: entry.slice(slash + 1).toLowerCase() }),
  };
}

/** Whether the pattern speaks of this provider, whichever of its endpoints it means. */
export function namesProvider(pattern: SlugPattern, provider: CatalogProvider): boolean {
  return (
    postingsTo(provider.slug, pattern.provider) ||
    postingsTo(provider.name, pattern.provider) ||
    (pattern.slug !== undefined && postingsTo(provider.slug, pattern.slug))
  );
}

/**
 * A base slug matches all regions and variants of a provider and never a tier; a full one matches exactly that tag
 * (docs/wire/routing.md#provider-names).
 * @param coversTiers lets a base slug match the tiers as well: for a policy, which speaks of companies
 */
export function matchesSlug(pattern: SlugPattern, { provider, tier, tag }: Tagged, coversTiers = false): boolean {
  if (pattern.tail === undefined) {
    if (tier !== 'standard' && !coversTiers) return false;
  } else if (tag.length !== provider.slug.length + 1 + pattern.tail.length || !tag.endsWith(pattern.tail)) {
    return false;
  }
  return namesProvider(pattern, provider);
}

/** Place of the first pattern that matches, -1 for none. */
export function findSlug(patterns: readonly SlugPattern[], tagged: Tagged, coversTiers = false): number {
  for (let index = 0; index < patterns.length; index++) {
    if (matchesSlug(patterns[index]!, tagged, coversTiers)) return index;
  }
  return -1;
}

/** Whether everything the second pattern can match, the first matches too, as far as their words tell. */
export function coversSlug(outer: SlugPattern, inner: SlugPattern): boolean {
  if ((outer.slug ?? outer.provider) !== (inner.slug ?? inner.provider)) return false;
  return outer.tail === inner.tail || (outer.tail === undefined && !namesTier(inner));
}

const namesTier = ({ tail }: SlugPattern): boolean =>
  SERVICE_TIERS.some((tier) => tier !== 'standard' && (tail === tier || tail?.endsWith(`/${tier}`)));

/** Whether a provider of this name is on a published list or in the catalog. */
export function isKnownProvider(pattern: SlugPattern, providers: Iterable<CatalogProvider>): boolean {
  if (isKnownName(pattern.provider)) return true;
  for (const provider of providers) if (namesProvider(pattern, provider)) return true;
  return false;
}
