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
