import type { CatalogProvider, Endpoint, Model } from './catalog.js';
import type { HealthKey } from './health.js';
import type { ServiceTier } from './plan.js';

/** An endpoint in one tier: the input of the filters, before it is multiplied by credentials. */
export interface Candidate {
  readonly model: Model;
  readonly endpoint: Endpoint;
  readonly provider: CatalogProvider;
  readonly tier: ServiceTier;
  readonly tag: string;
  /** The health key of its calls under the operator's own credential. */
  readonly sharedKey: HealthKey;
  /** `comparedPrice` of requests without images and searches; undefined where that depends on their sizes. */
  readonly flatPrice: number | undefined;
}
