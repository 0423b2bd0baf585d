import type { CatalogProvider, Endpoint, Model } from './catalog.js';
import type { ServiceTier } from './plan.js';

/** An endpoint in one tier: what filters judge, before it is multiplied by credentials. */
export interface Candidate {
  readonly model: Model;
  /** In the plan's list of models. */
  readonly modelIndex: number;
  readonly endpoint: Endpoint;
  readonly provider: CatalogProvider;
  readonly tier: ServiceTier;
  readonly tag: string;
}

const PRICED_TIERS = ['fast', 'priority', 'flex'] as const satisfies readonly ServiceTier[];

/** An endpoint serves in `standard`, and in each tier it has a price list for (WIRE 3.6). */
export function addCandidates(endpoint: Endpoint, model: Model, modelIndex: number, out: Candidate[]): void {
  const { provider, tag, pricing } = endpoint;
  out.push({ model, modelIndex, endpoint, provider, tier: 'standard', tag });
  if (!pricing) return;
  for (const tier of PRICED_TIERS) {
    if (pricing[tier]) out.push({ model, modelIndex, endpoint, provider, tier, tag: `${tag}/${tier}` });
  }
}
