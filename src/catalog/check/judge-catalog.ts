import type { CatalogProvider, CatalogSnapshot } from '../../core/routing/catalog.js';
import { countLeft, type LeftUnder } from './count-left.js';
import type { Finding } from './finding.js';
import { findMissing } from './find-missing.js';
import { findPrices } from './find-prices.js';
import { findStale, type Staleness } from './find-stale.js';
import type { KnownProviders } from './neutral-plan.js';
import type { CatalogSources } from './read-sources.js';

/** What a catalog is judged by. */
export interface JudgedBy {
  readonly shipped: CatalogSnapshot;
  /** Of the shipped catalog; undefined: they are not there. */
  readonly sources: CatalogSources | undefined;
  readonly staleness: Staleness;
  readonly known: KnownProviders;
  /** The variable that a provider's credential is read from and that is not set; undefined: it is, or there is none. */
  readonly unsetVariable: (provider: CatalogProvider) => string | undefined;
}

/** What is to be said of a catalog. The sandbox is code: nothing is said of it, and it counts nowhere. */
export interface Judgement {
  readonly providers: number;
  readonly models: number;
  readonly endpoints: number;
  readonly findings: readonly Finding[];
  /** How much is left under each demand that a caller may make. */
  readonly left: readonly LeftUnder[];
}

/** Pure: the same catalogs, sources and day give the same judgement. */
export function judgeCatalog(catalog: CatalogSnapshot, by: JudgedBy): Judgement {
  const providers = [...catalog.providers.values()].filter(isReal);
  const models = [...catalog.models.values()].filter(({ endpoints }) =>
    endpoints.some(({ provider }) => isReal(provider)),
  );
  return {
    providers: providers.length,
    models: models.length,
    endpoints: models.reduce((sum, { endpoints }) => sum + endpoints.length, 0),
    findings: [
      ...findStale({ models, providers }, by.shipped, by.sources, by.staleness),
      ...findMissing({ models, providers, tools: catalog.tools, unsetVariable: by.unsetVariable }, by.known),
      ...findPrices(models, by.shipped),
    ],
    left: countLeft(models, catalog, by.known),
  };
}

const isReal = ({ dialect }: CatalogProvider): boolean => dialect !== 'simulated';
