import type { CatalogProvider, Endpoint, Model } from './catalog.js';
import type { HealthKey } from './health.js';
import type { ServiceTier } from './plan.js';

/** An endpoint in one tier: what filters judge, before it is multiplied by credentials. */
export interface Candidate {
  readonly model: Model;
  readonly endpoint: Endpoint;
  readonly provider: CatalogProvider;
  readonly tier: ServiceTier;
  readonly tag: string;
  /** Whose figures its calls by the operator's own credential are. */
  readonly sharedKey: HealthKey;
  /** `comparedPrice` of requests without images and searches; undefined where that depends on their sizes. */
  readonly flatPrice: number | undefined;
}
