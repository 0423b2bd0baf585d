import { PROVIDERS } from '../catalog-providers.js';
import type { SourceList } from '../catalog-sources.js';
import { factsOf, withDrawing, type ModelFigures, type Sourced } from '../catalog-tables.js';
import type { EndpointEntry, Fact } from './author-file.js';
import type { ProviderEntry } from './read-providers.js';

/** An endpoint with what its sources state. */
export interface EndpointFigures {
  readonly entry: EndpointEntry;
  readonly figures: ModelFigures;
  readonly context: Sourced<number>;
  readonly output: Sourced<number> | undefined;
}

export function providerOf(slug: string): ProviderEntry {
  const provider = PROVIDERS.find((one) => one.slug === slug);
  if (!provider) throw new Error(`${slug}: not among the providers of catalog/providers.yaml.`);
  return provider;
}

/** @throws where no source prices the model or gives a context length */
export function figuresOf(book: SourceList, entry: EndpointEntry): EndpointFigures {
  const { provider, model, listing, draws } = entry;
  const listed = listing ? [{ source: book.add(listing.source), model: listing.value }] : [];
  const found = factsOf(provider, model, nameInTables(entry), listed, entry.pricedBy);
  const figures = draws ? { ...found, priceList: withDrawing(found.priceList, provider, draws) } : found;
  const cited = (fact: Fact<number> | undefined): Sourced<number> | undefined =>
    fact && { value: fact.value, source: book.add(fact.source) };
  const context = cited(entry.contextLength) ?? figures.context;
  if (!context) throw new Error(`${provider} ${model}: no source gives a context length.`);
  return { entry, figures, context, output: cited(entry.maxCompletionTokens) ?? figures.output };
}

/** Some hosts put a path before the names of models, which the price package leaves out. */
function nameInTables({ provider, model, listedAs }: EndpointEntry): string {
  if (listedAs !== undefined) return listedAs;
  return providerOf(provider).namesArePaths ? model.slice(model.lastIndexOf('/') + 1) : model;
}
