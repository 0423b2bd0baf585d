/**
 * The data of packages about a provider's model: the price package, which copies vendors' own price pages, and two
 * tables extracted from packages by `extract-model-table.mjs`.
 */
import { readFileSync } from 'node:fs';
import { findProvider, type MatchLogic, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices';
import type { Source } from './catalog-sources.js';

/** The day whose prices are written: the price package knows prices by date. */
export const PRICE_DATE = '2026-11-24';

/** USD per million tokens, by the names of the catalog file. */
export interface TokenPrices {
  readonly prompt: number;
  readonly completion: number;
  readonly image_output?: number;
  readonly input_cache_read?: number;
  readonly input_cache_write?: number;
  readonly input_cache_write_1h?: number;
}

/** The prices for prompts of this many tokens and more. */
export interface LongPrices extends TokenPrices {
  readonly min_prompt_tokens: number;
}

export interface PriceList {
  /** The `id` of the source. */
  readonly source: string;
  readonly prices: TokenPrices;
  readonly tiers: readonly LongPrices[];
  /** USD for one. */
  readonly webSearch?: number;
  readonly request?: number;
  /** The provider charges less at other hours. */
  readonly byTime?: true;
}

/** The entry of a model in a table or in a file of catalog/models. */
export interface ListedModel {
  /** The `id` of the source. */
  readonly source: string;
  readonly model: TableModel;
}

/** A figure, and the `id` of its source. */
export interface Sourced<Value> {
  readonly value: Value;
  readonly source: string;
}

/** The packages' data on one model at one provider; absent where there is none. */
export interface ModelFigures {
  readonly priceList: PriceList;
  readonly context?: Sourced<number>;
  readonly output?: Sourced<number>;
  readonly takesImages?: Sourced<boolean>;
  /** Whether the model reasons on request. */
  readonly reasons: boolean;
  readonly refusesTools: boolean;
}

export interface TableModel {
  readonly context?: number;
  readonly output?: number;
  readonly input: readonly string[];
  readonly reasoning?: true;
  readonly tools?: false;
  readonly prices: TablePrices;
  readonly tiers?: readonly (TablePrices & { readonly from: number })[];
  /** USD for one. */
  readonly request?: number;
}

export interface TablePrices {
  readonly prompt: number;
  readonly completion: number;
  readonly read?: number;
  readonly write?: number;
}

/** A file of `scripts/catalog-data`. */
export interface ModelTable {
  readonly package: string;
  readonly licence: string;
  readonly published: string;
  readonly read: string;
  readonly providers: Readonly<Record<string, Readonly<Record<string, TableModel>>>>;
}

const readTable = (name: string): ModelTable =>
  JSON.parse(readFileSync(`scripts/catalog-data/${name}.json`, 'utf8')) as ModelTable;

/** The tables, by the `id` that sources name. */
export const TABLES = { 'pi-ai': readTable('pi-ai'), 'pi-catalog': readTable('pi-catalog') } as const;

export type TableName = keyof typeof TABLES;

/** The price package by its `id` as sources name it. */
export const PRICE_PACKAGE = 'genai-prices';
/** Release of the package. After an update: this, its day, and `PRICE_DATE`. */
const PRICE_PACKAGE_VERSION = '0.1.8';
const PRICE_PACKAGE_DATE = '2026-09-23';

const tableSource = (id: TableName): Source => {
  const { package: reference, licence, published, read } = TABLES[id];
  return { id, title: `${reference}: its table of models`, package: reference, read, published, licence };
};

/** The packages with data, by `id`. */
export const TABLE_SOURCES: ReadonlyMap<string, Source> = new Map(
  [
    {
      id: PRICE_PACKAGE,
      title: "Pydantic's genai-prices: copies of vendors' price pages",
      package: `@pydantic/genai-prices@${PRICE_PACKAGE_VERSION}`,
      read: '2026-11-22',
      published: PRICE_PACKAGE_DATE,
      licence: 'MIT',
    },
    ...(Object.keys(TABLES) as TableName[]).map(tableSource),
  ].map((source) => [source.id, source]),
);

/**
 * The packages' names of a provider, where they know it. The price package's lists of Azure, Novita and Together are
 * not read: they are of models that these no longer serve, or are years old.
 */
const NAMES: Readonly<Record<string, { readonly [Source in TableName | 'genai-prices']?: string }>> = {
  'amazon-bedrock': { 'genai-prices': 'aws', 'pi-ai': 'amazon-bedrock' },
  anthropic: { 'genai-prices': 'anthropic', 'pi-ai': 'anthropic' },
  avian: { 'genai-prices': 'avian' },
  azure: { 'pi-ai': 'azure' },
  baseten: { 'pi-ai': 'baseten', 'pi-catalog': 'baseten' },
  cerebras: { 'genai-prices': 'cerebras', 'pi-ai': 'cerebras', 'pi-catalog': 'cerebras' },
  cohere: { 'genai-prices': 'cohere' },
  deepinfra: { 'pi-catalog': 'deepinfra' },
  deepseek: { 'genai-prices': 'deepseek', 'pi-ai': 'deepseek' },
  fireworks: { 'genai-prices': 'fireworks', 'pi-ai': 'fireworks' },
  'google-ai-studio': { 'genai-prices': 'google', 'pi-ai': 'google', 'pi-catalog': 'google' },
  'google-vertex': { 'genai-prices': 'google', 'pi-ai': 'google-vertex', 'pi-catalog': 'google-vertex' },
  groq: { 'genai-prices': 'groq', 'pi-ai': 'groq', 'pi-catalog': 'groq' },
  meta: { 'pi-ai': 'meta' },
  minimax: { 'genai-prices': 'minimax', 'pi-ai': 'minimax', 'pi-catalog': 'minimax' },
  mistral: { 'genai-prices': 'mistral', 'pi-ai': 'mistral', 'pi-catalog': 'mistral' },
  moonshotai: { 'genai-prices': 'moonshotai', 'pi-ai': 'moonshotai', 'pi-catalog': 'moonshot' },
  novita: { 'pi-catalog': 'novita' },
  ollama: { 'pi-catalog': 'ollama-cloud' },
  openai: { 'genai-prices': 'openai', 'pi-ai': 'openai', 'pi-catalog': 'openai' },
  perplexity: { 'genai-prices': 'perplexity' },
  sakana: { 'pi-catalog': 'sakana' },
  stepfun: { 'pi-catalog': 'stepfun' },
  together: { 'pi-ai': 'together', 'pi-catalog': 'together' },
  venice: { 'pi-catalog': 'venice' },
  wafer: { 'pi-catalog': 'wafer-serverless' },
  // Weights & Biases' inference is CoreWeave's, at the same address.
  wandb: { 'pi-catalog': 'coreweave' },
  xai: { 'genai-prices': 'x-ai', 'pi-ai': 'xai', 'pi-catalog': 'xai' },
  xiaomi: { 'pi-ai': 'xiaomi', 'pi-catalog': 'xiaomi' },
  'z-ai': { 'genai-prices': 'zai', 'pi-ai': 'zai', 'pi-catalog': 'zai' },
};

/** Anthropic's price of a cache kept for an hour, where a list leaves it out: twice the prompt's, on every platform. */
const HOUR_WRITE_FACTOR = 2;
const CLAUDE = /claude-/;

/**
 * @param provider slug
 * @param upstream the model's name there
 * @param sourceName its name in the price package
 * @param files data from files that are no table
 * @param pricedBy the table to take the price from although the price package has one
 */
export function factsOf(
  provider: string,
  upstream: string,
  sourceName: string,
  files: readonly ListedModel[],
  pricedBy?: TableName,
): ModelFigures {
  const names = NAMES[provider] ?? {};
  const label = `${provider} ${upstream}`;
  const priced = names['genai-prices'] === undefined ? undefined : priceOf(names['genai-prices'], sourceName, upstream);
  const found: ListedModel[] = (Object.keys(TABLES) as TableName[]).flatMap((source) => {
    const model = TABLES[source].providers[names[source] ?? '']?.[upstream];
    return model ? [{ source, model }] : [];
  });
  found.push(...files);
  const lists = found.map(({ source, model }) => listOf(source, model));
  const priceList =
    lists.find(({ source }) => source === pricedBy) ??
    priced?.list ??
    lists.reduce<PriceList | undefined>(dearer, undefined);
  if (!priceList) throw new Error(`${label}: no source prices it.`);
  const context = priced?.context ?? least(found.map(({ source, model }) => ({ value: model.context, source })));
  const output = least(found.map(({ source, model }) => ({ value: model.output, source })));
  const [first] = found;
  return {
    priceList: CLAUDE.test(upstream) ? withHourWrites(priceList) : priceList,
    ...(context && { context }),
    // A limit that equals the context is no separate limit of the output.
    ...(output && output.value !== context?.value && { output }),
    ...(first && {
      takesImages: { value: found.every(({ model }) => model.input.includes('image')), source: first.source },
    }),
    reasons: found.some(({ model }) => model.reasoning),
    refusesTools: found.some(({ model }) => model.tools === false),
  };
}

/** If tables differ, the one that promises less counts. */
function least(
  figures: readonly { readonly value: number | undefined; readonly source: string }[],
): Sourced<number> | undefined {
  return figures.reduce<Sourced<number> | undefined>((best, { value, source }) => {
    if (value === undefined || (best && best.value <= value)) return best;
    return { value, source };
  }, undefined);
}

/** A bound and a charge must never fall short. */
function dearer(one: PriceList | undefined, other: PriceList): PriceList {
  if (!one) return other;
  const difference = other.prices.prompt - one.prices.prompt || other.prices.completion - one.prices.completion;
  return difference > 0 ? other : one;
}

function listOf(source: string, { prices, tiers = [], request }: TableModel): PriceList {
  return {
    source,
    ...(request !== undefined && { request }),
    prices: namedPrices(prices),
    tiers: tiers.map(({ from, ...long }) => ({ min_prompt_tokens: from, ...namedPrices(long) })),
  };
}

const namedPrices = ({ prompt, completion, read, write }: TablePrices): TokenPrices => ({
  prompt,
  completion,
  ...(read !== undefined && { input_cache_read: read }),
  ...(write !== undefined && { input_cache_write: write }),
});

function withHourWrites(list: PriceList): PriceList {
  const add = <Prices extends TokenPrices>(prices: Prices): Prices =>
    prices.input_cache_write === undefined || prices.input_cache_write_1h !== undefined
      ? prices
      : { ...prices, input_cache_write_1h: rounded(prices.prompt * HOUR_WRITE_FACTOR) };
  return { ...list, prices: add(list.prices), tiers: list.tiers.map(add) };
}

const PRICE_DECIMALS = 6;
const rounded = (price: number): number => Number(price.toFixed(PRICE_DECIMALS));

/** The catalog's names for the price package's, in the order they are written. */
const PER_TOKEN = {
  input_mtok: 'prompt',
  output_mtok: 'completion',
  output_image_mtok: 'image_output',
  cache_read_mtok: 'input_cache_read',
  cache_write_mtok: 'input_cache_write',
  cache_write_1h_mtok: 'input_cache_write_1h',
} as const;
type PriceKey = keyof typeof PER_TOKEN;
const PRICE_KEYS = Object.keys(PER_TOKEN) as readonly PriceKey[];

const SEARCHES = 'web_searches_kcount';
const REQUESTS = 'requests_kcount';
/** Searches of stored files and sound, which no model chosen here is sent. */
const UNUSED: ReadonlySet<string> = new Set(['storage_searches_kcount', 'input_audio_mtok', 'cache_audio_read_mtok']);

/** Prices of a model that draws with a tool of its provider, by names in the price package. */
export interface Drawing {
  /** The model for its own tokens and for what the tool reads: the provider reports both as one prompt. */
  readonly pricedAs: string;
  /** The model behind the tool, whose output pictures are. */
  readonly drawnBy: string;
}

/** The prices of both instead of those of text alone. The other prices of its calls stay. */
export function withDrawing(list: PriceList, provider: string, { pricedAs, drawnBy }: Drawing): PriceList {
  const known = (name: string): ModelInfo => {
    const entry = findProvider({ providerId: NAMES[provider]?.[PRICE_PACKAGE] ?? '' })?.models.find(
      ({ id }) => id === name,
    );
    if (!entry || entry.deprecated) throw new Error(`${provider} ${name}: the price package does not sell it.`);
    return entry;
  };
  const { prices } = packageList(known(pricedAs));
  const drawing = pricesOf(known(drawnBy)).prices;
  const [pictures, read] = [drawing.output_mtok, drawing.input_image_mtok ?? drawing.input_mtok];
  if (typeof pictures !== 'number' || typeof read !== 'number') throw new Error(`${drawnBy}: not priced by the token.`);
  if (read > prices.prompt) throw new Error(`${pricedAs}: a prompt costs less than what ${drawnBy} reads.`);
  const { prompt, completion, ...others } = prices;
  return { ...list, prices: { prompt, completion, image_output: pictures, ...others } };
}

/** The price package's entry. Checked: it is not deprecated, and its prices are those of the upstream name. */
function priceOf(
  provider: string,
  sourceName: string,
  upstream: string,
): { readonly list: PriceList; readonly context?: Sourced<number> } | undefined {
  const entry = findProvider({ providerId: provider })?.models.find(
    ({ id, match }) => id === sourceName || (sourceName === upstream && matches(match, upstream)),
  );
  if (!entry) return undefined;
  const label = `${provider} ${sourceName}`;
  if (entry.deprecated) throw new Error(`${label}: deprecated.`);
  if (!matches(entry.match, upstream)) throw new Error(`${label}: prices of another name than ${upstream}.`);
  return {
    list: packageList(entry),
    ...(entry.context_window !== undefined && { context: { value: entry.context_window, source: PRICE_PACKAGE } }),
  };
}

function matches(logic: MatchLogic, name: string): boolean {
  if ('equals' in logic) return name === logic.equals;
  if ('starts_with' in logic) return name.startsWith(logic.starts_with);
  if ('ends_with' in logic) return name.endsWith(logic.ends_with);
  if ('contains' in logic) return name.includes(logic.contains);
  if ('regex' in logic) return new RegExp(logic.regex).test(name);
  if ('or' in logic) return logic.or.some((one) => matches(one, name));
  return logic.and.every((one) => matches(one, name));
}

function packageList(entry: ModelInfo): PriceList {
  const { prices, byTime } = pricesOf(entry);
  const unknown = Object.keys(prices).find(
    (key) => !(key in PER_TOKEN) && key !== SEARCHES && key !== REQUESTS && !UNUSED.has(key),
  );
  if (unknown !== undefined) throw new Error(`${entry.id}: ${unknown} has no place in the catalog.`);
  const searches = prices[SEARCHES];
  const requests = prices[REQUESTS];
  return {
    source: PRICE_PACKAGE,
    prices: pricesAt(entry.id, prices, 0),
    // The source charges a tier for more tokens than its start, the catalog from its first token on.
    tiers: tierStarts(prices).map((start) => ({
      min_prompt_tokens: start + 1,
      ...pricesAt(entry.id, prices, start + 1),
    })),
    ...(typeof searches === 'number' && { webSearch: searches / 1000 }),
    ...(typeof requests === 'number' && { request: requests / 1000 }),
    ...(byTime && { byTime }),
  };
}

/**
 * The prices on the day of the data. Where they change with the hour, the dearest: a bound and a
 * charge must never fall short.
 */
function pricesOf(entry: ModelInfo): { readonly prices: ModelPrice; readonly byTime?: true } {
  if (!Array.isArray(entry.prices)) return { prices: entry.prices };
  let prices: ModelPrice = {};
  let byTime = false;
  for (const { constraint, prices: candidate } of entry.prices) {
    if (constraint?.type === 'time_of_date') {
      if (Number(candidate.input_mtok) < Number(prices.input_mtok)) continue;
      byTime = true;
      prices = candidate;
    } else if (constraint === undefined || constraint.start_date <= PRICE_DATE) prices = candidate;
  }
  return { prices, ...(byTime && { byTime }) };
}

/** Names of models that generate nothing. */
const IS_VECTORS = /embed/;

/** The prices that a prompt of this length pays. */
function pricesAt(id: string, prices: ModelPrice, promptTokens: number): TokenPrices {
  const found = PRICE_KEYS.flatMap((key) => {
    const price = prices[key];
    if (price === undefined) return [];
    if (typeof price === 'number') return [[PER_TOKEN[key], price] as const];
    const tier = price.tiers.filter(({ start }) => start < promptTokens).at(-1);
    return [[PER_TOKEN[key], tier?.price ?? price.base] as const];
  });
  const { prompt, completion, ...others } = Object.fromEntries(found) as Partial<TokenPrices>;
  if (prompt === undefined) throw new Error(`${id}: not priced by the token.`);
  if (completion === undefined && !IS_VECTORS.test(id)) throw new Error(`${id}: its output has no price.`);
  return { prompt, completion: completion ?? 0, ...others };
}

function tierStarts(prices: ModelPrice): number[] {
  const starts = PRICE_KEYS.flatMap((key) => {
    const price = prices[key];
    return typeof price === 'object' ? price.tiers.map(({ start }) => start) : [];
  });
  return [...new Set(starts)].sort((a, b) => a - b);
}
