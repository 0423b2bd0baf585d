import type { PicoUsd } from '../core/money/credits.js';
import { DAY_MS } from '../core/time.js';
import type { Endpoint } from '../core/routing/catalog.js';
import { namesProvider, readSlug } from '../core/routing/slug.js';
import type { ListModelsDto } from './list-models.dto.js';
import type { IsCallable, ModelEntry } from './model-entry.js';

type Filter = (entry: ModelEntry) => boolean;

/**
 * Filters by properties that a catalog does not have. A filter guarantees what it lets through: where the property is
 * unknown, it lets nothing through (docs/use/models.md).
 */
const UNKNOWN_PROPERTIES = [
  'category',
  'arch',
  'min_intelligence_index',
  'max_intelligence_index',
  'min_coding_index',
  'max_coding_index',
  'min_agentic_index',
  'max_agentic_index',
  'min_tool_success_rate',
  'max_tool_success_rate',
] as const satisfies readonly (keyof ListModelsDto)[];

const TOKENS_PER_MILLION = 1_000_000n;
const MS_PER_SECOND = 1_000;
const OUTPUTS_DEFAULT: readonly string[] = ['text'];
const ALL = 'all';

/**
 * The entries that match all filters of a valid query, in the same order. An empty text filters nothing.
 * @param now epoch milliseconds
 */
export function selectEntries(
  entries: readonly ModelEntry[],
  query: ListModelsDto,
  isCallable: IsCallable,
  now: number,
): readonly ModelEntry[] {
  if (UNKNOWN_PROPERTIES.some((name) => query[name] !== undefined && query[name] !== '')) return [];
  const filters = listFilters(query);
  const { min_age_days: ageMin = 0, max_age_days: ageMax = Infinity } = query;
  if ((query.min_age_days ?? query.max_age_days) !== undefined)
    filters.push(({ model: { created } }) => created !== undefined && isWithin(ageOf(created, now), ageMin, ageMax));
  if (query.callable !== undefined) filters.push((entry) => isCallable(entry) === query.callable);
  return filters.length === 0 ? entries : entries.filter((entry) => filters.every((fits) => fits(entry)));
}

/** Whole days. @param created Unix seconds */
const ageOf = (created: number, now: number): number => Math.floor((now - created * MS_PER_SECOND) / DAY_MS);

const isWithin = (figure: number, least: number, most: number): boolean => least <= figure && figure <= most;

function listFilters(query: ListModelsDto): Filter[] {
  const filters: Filter[] = [];
  const words = query.q?.trim().toLowerCase();
  if (words) filters.push((entry) => entry.words.includes(words));
  const { supported_parameters: parameters = [], input_modalities: inputs = [], context, distillable } = query;
  if (parameters.length > 0) filters.push((entry) => parameters.every((name) => entry.parameters.has(name)));
  if (inputs.length > 0)
    filters.push(({ model }) => inputs.every((name) => model.inputModalities.some((modality) => modality === name)));
  const outputs = query.output_modalities?.length ? query.output_modalities : OUTPUTS_DEFAULT;
  if (!outputs.includes(ALL))
    filters.push(({ model }) => outputs.some((name) => model.outputModalities.some((modality) => modality === name)));
  if (context !== undefined) filters.push(({ model }) => model.contextLength >= context);
  const authors = (query.model_authors ?? []).map((author) => author.toLowerCase());
  if (authors.length > 0) filters.push(({ model }) => authors.includes(authorOf(model.id)));
  if (distillable !== undefined) filters.push(({ model }) => (model.distillable === true) === distillable);
  addPriceFilter(query.min_price, query.max_price, ({ promptPrice }) => promptPrice, filters);
  addPriceFilter(query.min_output_price, query.max_output_price, ({ completionPrice }) => completionPrice, filters);
  const fitsEndpoint = endpointFilter(query);
  if (fitsEndpoint) filters.push(({ endpoints }) => endpoints.some(fitsEndpoint));
  return filters;
}

/** Filters by price. Both bounds are inclusive, and amounts are compared as integers. */
function addPriceFilter(
  least: PicoUsd | undefined,
  most: PicoUsd | undefined,
  priceOf: (entry: ModelEntry) => PicoUsd,
  filters: Filter[],
): void {
  if (least !== undefined) filters.push((entry) => priceOf(entry) * TOKENS_PER_MILLION >= least);
  if (most !== undefined) filters.push((entry) => priceOf(entry) * TOKENS_PER_MILLION <= most);
}

/** All filters of endpoints must match the same endpoint. */
function endpointFilter({ providers, zdr, region }: ListModelsDto): ((endpoint: Endpoint) => boolean) | undefined {
  const named = (providers ?? []).map(readSlug);
  if (named.length === 0 && !zdr && !region) return undefined;
  return ({ provider }) =>
    (named.length === 0 || named.some((pattern) => namesProvider(pattern, provider))) &&
    (!zdr || provider.policy.zeroDataRetention) &&
    (!region || provider.policy.region?.toLowerCase() === region);
}

const authorOf = (id: string): string => id.slice(0, id.indexOf('/')).toLowerCase();
