import type { CatalogProvider, CatalogSnapshot, Model, ToolsConfiguration } from '../../core/routing/catalog.js';
import { countLeft, type LeftUnder } from './count-left.js';
import type { Finding, FindingOrigin } from './finding.js';
import { findMissing } from './find-missing.js';
import { findPrices } from './find-prices.js';
import { findStale, type Staleness } from './find-stale.js';
import { findWeakMedia } from './find-weak-media.js';
import type { KnownProviders } from './neutral-plan.js';
import type { CatalogSources } from './read-sources.js';

/** The entries in a file itself, where it extends the shipped one. */
export interface OwnEntries {
  readonly slugs: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
}

/** The inputs a catalog is judged by. */
export interface JudgedBy {
  readonly shipped: CatalogSnapshot;
  /** Undefined where the file extends nothing: then all entries are its own. */
  readonly own: OwnEntries | undefined;
  /** Sources of the shipped catalog; undefined: there is no such file. */
  readonly sources: CatalogSources | undefined;
  readonly staleness: Staleness;
  readonly known: KnownProviders;
  /** The variable of a provider's credential where it is not set; undefined: it is set, or there is none. */
  readonly unsetVariable: (provider: CatalogProvider) => string | undefined;
}

/** Numbers of entries. */
export interface EntryCounts {
  readonly providers: number;
  readonly models: number;
  readonly endpoints: number;
}

/**
 * The findings about a catalog, and how much of it remains under restrictions. The sandbox is code and is not counted.
 */
export interface Judgement extends EntryCounts {
  /** Counts of the file itself, where it extends the shipped one. */
  readonly own?: EntryCounts;
  /** Findings of the file itself come first. */
  readonly findings: readonly (Finding & { readonly origin: FindingOrigin })[];
  /** The part of the catalog that remains under each restriction that a caller may set. */
  readonly left: readonly LeftUnder[];
}

/** Pure: the same catalogs, sources and day give the same judgement. */
export function judgeCatalog(catalog: CatalogSnapshot, by: JudgedBy): Judgement {
  const providers = [...catalog.providers.values()].filter(isReal);
  const models = [...catalog.models.values()].filter(({ endpoints }) =>
    endpoints.some(({ provider }) => isReal(provider)),
  );
  const whole: Part = { origin: 'file', providers, models, tools: catalog.tools };
  const parts = by.own ? partsOf(whole, by.own) : [whole];
  const serving = new Set(models.flatMap((model) => model.endpoints.map(({ provider }) => provider.slug)));
  return {
    ...countEntries(whole),
    ...(by.own && { own: countEntries(parts[0]!) }),
    findings: parts.flatMap((part) =>
      [
        ...findStale(part, by.shipped, by.sources, by.staleness),
        ...findMissing({ ...part, serving, unsetVariable: by.unsetVariable }, by.known),
        ...findWeakMedia(part.models, by.shipped, by.sources?.mediaBases),
        ...findPrices(part.models, by.shipped),
      ].map((finding) => ({ ...finding, origin: part.origin })),
    ),
    left: countLeft(models, catalog, by.known),
  };
}

/** Entries that are judged together. */
interface Part {
  readonly origin: FindingOrigin;
  readonly providers: readonly CatalogProvider[];
  readonly models: readonly Model[];
  readonly tools: ToolsConfiguration;
}

/** Engines of tools belong to the file: the shipped one names none that costs money. */
function partsOf({ providers, models, tools }: Part, { slugs, ids }: OwnEntries): readonly Part[] {
  const isOwnProvider = ({ slug }: CatalogProvider): boolean => slugs.has(slug);
  const isOwnModel = ({ id }: Model): boolean => ids.has(id);
  return [
    { origin: 'file', providers: providers.filter(isOwnProvider), models: models.filter(isOwnModel), tools },
    {
      origin: 'shipped',
      providers: providers.filter((provider) => !isOwnProvider(provider)),
      models: models.filter((model) => !isOwnModel(model)),
      tools: {},
    },
  ];
}

const countEntries = ({ providers, models }: Part): EntryCounts => ({
  providers: providers.length,
  models: models.length,
  endpoints: models.reduce((sum, { endpoints }) => sum + endpoints.length, 0),
});

const isReal = ({ dialect }: CatalogProvider): boolean => dialect !== 'simulated';
