import { Injectable } from '@nestjs/common';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { Candidate } from '../core/routing/candidate.js';
import { addCandidates } from '../core/routing/prepared-model.js';
import type { CatalogSnapshot } from '../core/routing/catalog.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { HealthKey } from '../core/routing/health.js';
import { HealthRegistry } from '../endpoint-health/health-registry.js';
import { viewProviderHealth, type ProviderHealthView } from './view-provider-health.js';

type KeysByProvider = ReadonlyMap<string, readonly HealthKey[]>;
const NONE: readonly never[] = [];

/** The current health of providers, by the operator's credentials, never a caller's. */
@Injectable()
export class ProviderHealths {
  private kept: { readonly catalog: CatalogSnapshot; readonly keys: KeysByProvider } | undefined;

  constructor(
    private readonly catalog: CatalogStore,
    private readonly health: HealthRegistry,
  ) {}

  /** @param slug of a provider */
  of(slug: string): ProviderHealthView {
    const counts = { operational: 0, 'rate-limited': 0, failing: 0, unknown: 0 };
    for (const key of this.keysByProvider().get(slug) ?? NONE) counts[this.health.condition(key)]++;
    return viewProviderHealth(counts, this.health.provider(slug));
  }

  /** Made once for each catalog: reading it all takes longer than a request should. */
  private keysByProvider(): KeysByProvider {
    const catalog = this.catalog.current;
    if (this.kept?.catalog !== catalog) this.kept = { catalog, keys: listKeys(catalog) };
    return this.kept.keys;
  }
}

/** Keys of every endpoint in every tier it is priced for, as routing counts them. */
function listKeys({ models }: CatalogSnapshot): KeysByProvider {
  const byProvider = new Map<string, HealthKey[]>();
  for (const model of models.values()) {
    const candidates: Candidate[] = [];
    for (const endpoint of model.endpoints) addCandidates(endpoint, model, candidates);
    for (const { provider, tag } of candidates) {
      const keys = byProvider.get(provider.slug) ?? [];
      byProvider.set(provider.slug, keys);
      keys.push({ model: model.id, tag, credential: SHARED_CREDENTIAL });
    }
  }
  return byProvider;
}
