import type { CatalogProvider } from './catalog.js';
import { findSlugOfName, normalizeName, normalizesTo, isKnownName } from './known-providers.js';
import { SERVICE_TIERS, type ServiceTier } from './plan.js';

/** An entry of `order`, `only` or `ignore`, parsed (docs/use/choosing-providers.md#provider-names). */
export interface SlugPattern {
  /** The part before the first slash, normalized: a slug or a display name. */
  readonly provider: string;
  /** The normalized slug, where `provider` is a display name that differs from it. */
  readonly slug?: string;
  /** The part after the first slash, in lower case: `turbo`, `priority`, `turbo/priority`. Absent: a base slug. */
  readonly tail?: string;
}

/** The subject of a pattern: an endpoint in one tier. */
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

/** Whether the pattern matches any endpoint of this provider. */
export function namesProvider(pattern: SlugPattern, provider: CatalogProvider): boolean {
  return (
    normalizesTo(provider.slug, pattern.provider) ||
    normalizesTo(provider.name, pattern.provider) ||
    (pattern.slug !== undefined && normalizesTo(provider.slug, pattern.slug))
  );
}

/**
 * A base slug matches all regions and variants of a provider and never a tier; a full slug matches exactly that tag
 * (docs/use/choosing-providers.md#provider-names).
 * @param coversTiers lets a base slug match the tiers as well: the patterns of a policy name companies
 */
export function matchesSlug(pattern: SlugPattern, { provider, tier, tag }: Tagged, coversTiers = false): boolean {
  if (pattern.tail === undefined) {
    if (tier !== 'standard' && !coversTiers) return false;
  } else if (tag.length !== provider.slug.length + 1 + pattern.tail.length || !tag.endsWith(pattern.tail)) {
    return false;
  }
  return namesProvider(pattern, provider);
}

/** Index of the first pattern that matches, -1 for none. */
export function findSlug(patterns: readonly SlugPattern[], tagged: Tagged, coversTiers = false): number {
  for (let index = 0; index < patterns.length; index++) {
    if (matchesSlug(patterns[index]!, tagged, coversTiers)) return index;
  }
  return -1;
}

/** Whether the first pattern matches everything that the second can match, judged by their texts alone. */
export function coversSlug(outer: SlugPattern, inner: SlugPattern): boolean {
  if ((outer.slug ?? outer.provider) !== (inner.slug ?? inner.provider)) return false;
  return outer.tail === inner.tail || (outer.tail === undefined && !namesTier(inner));
}

const namesTier = ({ tail }: SlugPattern): boolean =>
  SERVICE_TIERS.some((tier) => tier !== 'standard' && (tail === tier || tail?.endsWith(`/${tier}`)));

/** Whether a provider of this name is published or in the catalog. */
export function isKnownProvider(pattern: SlugPattern, providers: Iterable<CatalogProvider>): boolean {
  if (isKnownName(pattern.provider)) return true;
  for (const provider of providers) if (namesProvider(pattern, provider)) return true;
  return false;
}
