import type { SourceList } from '../catalog-sources.js';
import type { ModelFigures, PriceList, Sourced, TokenPrices } from '../catalog-tables.js';
import { precisionInName, PRECISIONS } from '../catalog-precisions.js';
import type { EndpointEntry } from './author-file.js';
import { providerOf, type EndpointFigures } from './endpoint-figures.js';
import { decimal, list, object, scalar, text, type WrittenEntry } from './printing.js';
import type { ProviderEntry } from './read-providers.js';
import { TARIFFS, type Tariffs } from './tariffs.js';

export const tagOf = ({ provider, variant }: EndpointEntry): string =>
  variant === undefined ? provider : `${provider}/${variant}`;

/** The values of a model, for endpoints that state none. */
interface OfModel {
  readonly context: number;
  readonly output: number | undefined;
  /** False: it does a task, which has no output to be priced or bounded, nor the parameters of answers. */
  readonly generates: boolean;
}

export function endpointEntry(
  book: SourceList,
  { entry, figures, context, output }: EndpointFigures,
  model: OfModel,
): WrittenEntry {
  // Tariffs are prices of text alone.
  const tariffs = entry.draws ? undefined : entry.tariffs;
  const parameters = model.generates ? parametersOf(entry, figures) : entry.alsoTakes;
  const precision = precisionOf(book, entry, figures.priceList.source);
  const ownContext = context.value !== model.context;
  const ownOutput = model.generates && output !== undefined && output.value !== model.output;
  return {
    lines: [
      ...(figures.priceList.byTime
        ? [`      # The dearest of the day: the provider charges less at other hours.`]
        : []),
      `      - provider: ${entry.provider}`,
      ...(entry.variant === undefined ? [] : [`        variant: ${entry.variant}`]),
      `        model: ${scalar(entry.model)}`,
      ...(entry.dialect === undefined ? [] : [`        dialect: ${entry.dialect}`]),
      ...(tariffs ? [`        # ${headOf(tariffs)}`] : []),
      `        pricing: ${pricingOf(figures.priceList, tariffs, model.generates)}`,
      ...(precision ? [`        quantization: ${precision.value}`] : []),
      ...(ownContext ? [`        context_length: ${context.value}`] : []),
      ...(ownOutput ? [`        max_completion_tokens: ${output.value}`] : []),
      ...(parameters ? [`        supported_parameters: ${list(parameters)}`] : []),
    ],
    origins: {
      pricing: figures.priceList.source,
      ...(tariffs && { tariffs: book.add(tariffs.source) }),
      ...(precision && { quantization: precision.source }),
      ...(ownContext && { context_length: context.source }),
      ...(ownOutput && { max_completion_tokens: output.source }),
      ...(entry.parametersOf !== undefined && {
        supported_parameters: book.add(parameterProvider(entry).parametersSource),
      }),
    },
  };
}

/** The price lists that an endpoint states, with their page and month. */
function headOf({ lists, geo, source }: Tariffs): string {
  const names = [...lists.keys(), ...(geo ? ['geo'] : [])];
  return `${names.join(', ')}: ${source.url}, as of ${source.asOf}`;
}

/** @param table the source that states the model's name at the provider */
function precisionOf(book: SourceList, { provider, model }: EndpointEntry, table: string): Sourced<string> | undefined {
  const stated = PRECISIONS.find((one) => one.provider === provider && one.models.test(model));
  if (stated) return { value: stated.quantization, source: book.add(stated.source) };
  const value = precisionInName(model);
  return value && { value, source: table };
}

const TOOL_FIELDS: ReadonlySet<string> = new Set(['tools', 'tool_choice', 'parallel_tool_calls']);

/** Absent where the provider's are not known: nothing is promised to a caller who requires parameters. */
function parametersOf(entry: EndpointEntry, figures: ModelFigures): readonly string[] | undefined {
  const { parameters: provided, reasonsByModel } = parameterProvider(entry);
  if (!provided) return undefined;
  const refused = (name: string): boolean =>
    entry.refuses?.includes(name) === true ||
    (figures.refusesTools && TOOL_FIELDS.has(name)) ||
    (name === 'reasoning' && reasonsByModel && !figures.reasons);
  return [...provided.filter((name) => !refused(name)), ...(entry.alsoTakes ?? [])];
}

const parameterProvider = ({ provider, parametersOf: slug = provider }: EndpointEntry): ProviderEntry =>
  providerOf(slug);

function pricingOf(
  { prices, tiers, webSearch, request }: PriceList,
  tariffs: Tariffs | undefined,
  generates: boolean,
): string {
  const { prompt } = prices;
  const parts = generates ? tokenPrices(prices) : prompt > 0 ? [`prompt: ${decimal(prompt)}`] : [];
  if (request !== undefined) parts.push(`request: ${decimal(request)}`);
  if (webSearch !== undefined) parts.push(`web_search: ${decimal(webSearch)}`);
  const longer = tiers.map(({ min_prompt_tokens: from, ...long }) =>
    object([`min_prompt_tokens: ${from}`, ...tokenPrices(long)]),
  );
  if (longer.length > 0) parts.push(`tiers: ${list(longer)}`);
  const starts = tiers.map(({ min_prompt_tokens: from }) => from);
  if (tariffs) parts.push(...tariffPrices(tariffs, starts));
  return object(parts);
}

const tokenPrices = (prices: TokenPrices): string[] =>
  Object.entries(prices).map(([name, price]) => `${name}: ${decimal(price as number)}`);

/** @param starts lengths from which the plain list charges more, as the catalog has them */
function tariffPrices({ lists, geo }: Tariffs, starts: readonly number[]): readonly string[] {
  const written = TARIFFS.flatMap((name) => {
    const tariff = lists.get(name);
    if (!tariff) return [];
    const { prices, long } = tariff;
    if (long && starts.length !== 1)
      throw new Error(`${name}: prices of long prompts need one length of the plain list.`);
    const tiers = long ? [`tiers: ${list([object([`min_prompt_tokens: ${starts[0]}`, ...texts(long)])])}`] : [];
    return [`${name}: ${object([...texts(prices), ...tiers])}`];
  });
  return geo ? [...written, `geo: ${object(texts(geo))}`] : written;
}

const texts = (values: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(values).map(([name, value]) => `${name}: ${text(value)}`);
