import type { CatalogProvider, CatalogSnapshot, Model } from '../../core/routing/catalog.js';
import { daysBetween, type Day } from './day.js';
import { endpointFigures, modelFigures, providerFigures, type Figures } from './figures.js';
import { findingOf, type Finding } from './finding.js';
import { pluralize } from '../../core/text/pluralize.js';
import { SOURCES_FILE, type CatalogSources, type FigureSources, type Source } from './read-sources.js';

/**
 * When a figure is too old, counted from the day of its source's data or, where that is unknown, the day it was read.
 */
export interface Staleness {
  readonly today: Day;
  /** A source of exactly this age is not yet stale. */
  readonly days: number;
}

/** An entry of both the judged catalog and the shipped one, with its sources. */
interface SourcedEntry {
  readonly own: Figures;
  readonly shipped: Figures;
  readonly sources: FigureSources;
}

const NO_SOURCES: FigureSources = new Map();

/**
 * Sources of the shipped catalog that are too old, those with most figures first: each with the number of figures in
 * the judged catalog that are still unchanged from it. The sources of an operator's own figures are unknown.
 */
export function findStale(
  { models, providers }: { readonly models: readonly Model[]; readonly providers: readonly CatalogProvider[] },
  shipped: CatalogSnapshot,
  sources: CatalogSources | undefined,
  { today, days }: Staleness,
): readonly Finding[] {
  if (!sources)
    return findingOf('stale', 'file', 'is missing, so the age of the figures is unknown', [SOURCES_FILE]);
  const counts = new Map<Source, number>();
  for (const entry of [...listProviders(providers, shipped, sources), ...listModels(models, shipped, sources)]) {
    for (const [figure, source] of entry.sources) {
      if (ageOf(source, today) <= days || !isShipped(figure, entry)) continue;
      counts.set(source, (counts.get(source) ?? 0) + 1);
    }
  }
  const subjects = [...counts].sort(([, a], [, b]) => b - a).map(([source, count]) => describe(source, count, today));
  return findingOf('stale', 'source', `older than ${days} days`, subjects);
}

const ageOf = ({ publishedOn, readOn }: Source, today: Day): number => daysBetween(publishedOn ?? readOn, today);

function describe(source: Source, count: number, today: Day): string {
  const { title, location, readOn, publishedOn } = source;
  // The title of a page without one is its address.
  const name = location.endsWith(title) ? location : `${title} (${location})`;
  const published = publishedOn === undefined ? '' : `of ${publishedOn}, `;
  return `${name}, ${published}read on ${readOn}, ${ageOf(source, today)} days old: ${pluralize(count, 'figure')}`;
}

const listProviders = (
  providers: readonly CatalogProvider[],
  shipped: CatalogSnapshot,
  sources: CatalogSources,
): readonly SourcedEntry[] =>
  providers.flatMap((provider) => {
    const there = shipped.providers.get(provider.slug);
    const known = sources.providers.get(provider.slug);
    return there && known ? [{ own: providerFigures(provider), shipped: providerFigures(there), sources: known }] : [];
  });

const listModels = (models: readonly Model[], shipped: CatalogSnapshot, sources: CatalogSources): readonly SourcedEntry[] =>
  models.flatMap((model) => {
    const there = shipped.models.get(model.id);
    const known = sources.models.get(model.id);
    if (!there || !known) return [];
    const endpoints = model.endpoints.flatMap((endpoint): readonly SourcedEntry[] => {
      const counterpart = there.endpoints.find(({ tag }) => tag === endpoint.tag);
      if (!counterpart) return [];
      const ofProvider = (sources.providers.get(endpoint.provider.slug) ?? NO_SOURCES).get(PARAMETERS);
      const own = known.endpoints.get(endpoint.tag) ?? NO_SOURCES;
      return [
        {
          own: endpointFigures(endpoint, model),
          shipped: endpointFigures(counterpart, there),
          sources: ofProvider ? new Map([[PARAMETERS, ofProvider], ...own]) : own,
        },
      ];
    });
    return [{ own: modelFigures(model), shipped: modelFigures(there), sources: known.figures }, ...endpoints];
  });

/** Endpoints without a separate source for it have their provider's. */
const PARAMETERS = 'supported_parameters';

const TARIFFS = /^pricing\.(?:fast|priority|flex|geo)\./;

/** Whether the figure (`policy`: all of `policy.…`) is present and equal to the shipped one. */
function isShipped(figure: string, { own, shipped }: SourcedEntry): boolean {
  const names = [...shipped.keys()].filter((name) => {
    if (figure === 'tariffs') return TARIFFS.test(name);
    return name === figure || (name.startsWith(`${figure}.`) && !TARIFFS.test(name));
  });
  return names.length > 0 && names.every((name) => own.get(name) === shipped.get(name));
}
