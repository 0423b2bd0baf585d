import type { PicoUsd } from '../core/money/credits.js';
import type { Endpoint } from '../core/routing/catalog.js';
import { namesProvider, readSlug } from '../core/routing/slug.js';
import type { ListModelsDto } from './list-models.dto.js';
import type { ModelEntry } from './model-entry.js';

type Filter = (entry: ModelEntry) => boolean;

/**
 * What a catalog says nothing of. A filter is a promise about what it lets through: where nobody said, it lets nothing
 * through (docs/models.md).
 */
const UNSAID = [
  'category',
  'arch',
  'min_age_days',
  'max_age_days',
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
const OUTPUTS_DEFAULT: readonly string[] = ['text'];
const ALL = 'all';

/** The entries that fit everything a valid query asks for, in the same order. An empty text asks for nothing. */
export function selectEntries(entries: readonly ModelEntry[], query: ListModelsDto): readonly ModelEntry[] {
  if (UNSAID.some((name) => query[name] !== undefined && query[name] !== '')) return [];
  const filters = listFilters(query);
  return filters.length === 0 ? entries : entries.filter((entry) => filters.every((fits) => fits(entry)));
}

function listFilters(query: ListModelsDto): readonly Filter[] {
  const filters: Filter[] = [];
  const words = query.q?.trim().toLowerCase();
  if (words) filters.push((entry) => entry.words.includes(words));
  const { supported_parameters: parameters = [], input_modalities: inputs = [], context, distillable } = query;
  if (parameters.length > 0) filters.push((entry) => parameters.every((name) => entry.parameters.has(name)));
  if (inputs.length > 0)
    filters.push(({ model }) => inputs.every((name) => model.inputModalities.some((one) => one === name)));
  const outputs = query.output_modalities?.length ? query.output_modalities : OUTPUTS_DEFAULT;
  if (!outputs.includes(ALL))
    filters.push(({ model }) => outputs.some((name) => model.outputModalities.some((one) => one === name)));
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

/** Both included. Exact: amounts are compared as integers. */
function addPriceFilter(
  least: PicoUsd | undefined,
  most: PicoUsd | undefined,
  priceOf: (entry: ModelEntry) => PicoUsd,
  filters: Filter[],
): void {
  if (least !== undefined) filters.push((entry) => priceOf(entry) * TOKENS_PER_MILLION >= least);
  if (most !== undefined) filters.push((entry) => priceOf(entry) * TOKENS_PER_MILLION <= most);
}

/** What is asked of endpoints must be true of one and the same. */
function endpointFilter({ providers, zdr, region }: ListModelsDto): ((endpoint: Endpoint) => boolean) | undefined {
  const named = (providers ?? []).map(readSlug);
  if (named.length === 0 && !zdr && !region) return undefined;
  return ({ provider }) =>
    (named.length === 0 || named.some((pattern) => namesProvider(pattern, provider))) &&
    (!zdr || provider.policy.zeroDataRetention) &&
    (!region || provider.policy.region?.toLowerCase() === region);
}

const authorOf = (id: string): string => id.slice(0, id.indexOf('/')).toLowerCase();
