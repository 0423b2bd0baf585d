import type { CatalogSnapshot } from '../core/routing/catalog.js';
import { PUBLISHED_SLUGS } from '../core/routing/published-slugs.js';
import { described, flag, optional, text } from '../shared/http/schema.js';
import { UNROUTABLE } from './catalog/unroutable.js';

/** Whether calls can be sent to a provider, as every route that lists providers states it. */
export type Routability = { readonly routable: true } | { readonly routable: false; readonly reason: string };

/** Routability as fields of a reply. */
export const routabilityFields = {
  routable: described('Whether requests can be sent to it.', flag()),
  reason: optional(described('Why not; left out where they can.', text())),
};

/** The provider has an address, so only a model is missing. */
const WITHOUT_MODEL = 'The catalog has no endpoint at this provider: a model of a catalog file has to name one';
/** For a published slug whose address is in the shipped catalog. */
const LEFT_OUT = 'The active catalog does not have this provider; the shipped catalog does, and files that extend it';
const UNKNOWN = 'The catalog has no such provider: it needs an entry with dialect and base_url';
const ROUTABLE: Routability = { routable: true };

/** A catalog never changes: the providers that serve its models are collected once. */
const servingIn = new WeakMap<CatalogSnapshot, ReadonlySet<string>>();

/** Whether the current catalog has an endpoint at a provider, and if not, what is missing. */
export function routabilityOf(slug: string, catalog: CatalogSnapshot): Routability {
  if (slugsServing(catalog).has(slug)) return ROUTABLE;
  if (catalog.providers.has(slug)) return { routable: false, reason: WITHOUT_MODEL };
  return { routable: false, reason: UNROUTABLE.get(slug) ?? (PUBLISHED_SLUGS.has(slug) ? LEFT_OUT : UNKNOWN) };
}

function slugsServing(catalog: CatalogSnapshot): ReadonlySet<string> {
  const known = servingIn.get(catalog);
  if (known) return known;
  const endpoints = [...catalog.models.values()].flatMap((model) => model.endpoints);
  const serving = new Set(endpoints.map(({ provider }) => provider.slug));
  servingIn.set(catalog, serving);
  return serving;
}
