import type { PicoUsd } from '../money/credits.js';
import type { PriceTier, Pricing, TokenPrices } from './catalog.js';
import type { ServiceTier } from './plan.js';

/** Prices are kept per token in 10⁻¹² USD; the same number per million tokens in USD is this much smaller. */
const PICO_PER_TOKEN_OF_USD_PER_MILLION = 1_000_000;

/** What tokens are told apart by where they are charged. */
export type TokenClass = keyof TokenPrices;

/** The side each class is on; a class that the catalog does not price costs what its side is named after. */
export const SIDE_OF = {
  prompt: 'prompt',
  inputCacheRead: 'prompt',
  inputCacheWrite: 'prompt',
  inputCacheWrite1h: 'prompt',
  completion: 'completion',
  reasoning: 'completion',
  imageOutput: 'completion',
} as const satisfies Readonly<Record<TokenClass, TokenClass>>;

/** What a token of each class costs. */
export type ClassPrices = Readonly<Record<TokenClass, PicoUsd>>;

/** The most that a token of a side costs, over the classes that a prompt may reach. */
export interface DearestPrices {
  /** By the caches that the prompt may write: none, one of five minutes, one of an hour. */
  readonly uncached: PicoUsd;
  readonly shortCache: PicoUsd;
  readonly longCache: PicoUsd;
  readonly completion: PicoUsd;
}

/** What one tier costs from a length of the prompt on, up to where the next list begins. */
export interface PriceList {
  readonly minPromptTokens: number;
  readonly prices: ClassPrices;
  /** Of this list and of all shorter ones: a longer prompt may be cheaper. */
  readonly dearest: DearestPrices;
  /** Prompt + completion, USD per million tokens. */
  readonly pairPrice: number;
}

/** Made once of all prices of a catalog. */
const priceLists = new WeakMap<Pricing, Partial<Record<ServiceTier, readonly PriceList[]>>>();

/**
 * The list of a tier for a prompt of this length.
 * @param promptTokens the whole prompt: cache reads and writes are part of it
 */
export function priceListAt(pricing: Pricing, tier: ServiceTier, promptTokens: number): PriceList {
  const lists = priceLists.get(pricing)?.[tier] ?? compileLists(pricing, tier);
  let index = lists.length - 1;
  while (index > 0 && !(lists[index]!.minPromptTokens <= promptTokens)) index--;
  return lists[index]!;
}

function compileLists(pricing: Pricing, tier: ServiceTier): readonly PriceList[] {
  const starts = new Set([0, ...lengthsOf(pricing, tier).map(({ minPromptTokens }) => minPromptTokens)]);
  const lists: PriceList[] = [];
  for (const start of [...starts].sort((one, other) => one - other)) {
    lists.push(compileList(pricing, tier, start, lists.at(-1)?.dearest ?? FREE));
  }
  const byTier = priceLists.get(pricing);
  if (byTier) byTier[tier] = lists;
  else priceLists.set(pricing, { [tier]: lists });
  return lists;
}

const FREE: DearestPrices = { uncached: 0n, shortCache: 0n, longCache: 0n, completion: 0n };

/** @param before the dearest of the shorter lists */
function compileList(pricing: Pricing, tier: ServiceTier, start: number, before: DearestPrices): PriceList {
  const price = (kind: TokenClass): PicoUsd =>
    findTokenPrice(pricing, kind, tier, start) ?? findTokenPrice(pricing, SIDE_OF[kind], tier, start);
  const prices = {
    prompt: price('prompt'),
    inputCacheRead: price('inputCacheRead'),
    inputCacheWrite: price('inputCacheWrite'),
    inputCacheWrite1h: price('inputCacheWrite1h'),
    completion: price('completion'),
    reasoning: price('reasoning'),
    imageOutput: price('imageOutput'),
  };
  const uncached = dearest(before.uncached, prices.prompt, prices.inputCacheRead);
  const shortCache = dearest(before.shortCache, uncached, prices.inputCacheWrite);
  return {
    minPromptTokens: start,
    prices,
    dearest: {
      uncached,
      shortCache,
      longCache: dearest(before.longCache, shortCache, prices.inputCacheWrite1h),
      completion: dearest(before.completion, prices.completion, prices.reasoning, prices.imageOutput),
    },
    pairPrice: Number(prices.prompt + prices.completion) / PICO_PER_TOKEN_OF_USD_PER_MILLION,
  };
}

const dearest = (...prices: readonly PicoUsd[]): PicoUsd =>
  prices.reduce((most, price) => (price > most ? price : most));

/**
 * What a token costs in this tier, for a prompt of this length: 10⁻¹² USD (docs/catalog.md#prices). What neither the
 * tier nor the length nor the plain list names costs what `prompt` or `completion` costs in this tier, at this length.
 */
export function tokenPrice(pricing: Pricing, kind: TokenClass, tier: ServiceTier, promptTokens: number): PicoUsd {
  return priceListAt(pricing, tier, promptTokens).prices[kind];
}

/**
 * The price that the catalog names for a class, undefined where it names none. Each list says only what differs from
 * the next: the tier's own wins, at the longest of its own lengths that the prompt reaches and that names the class,
 * else whatever the prompt's length; then the same of the plain list.
 * @param promptTokens the whole prompt: cache reads and writes are part of it
 */
export function findTokenPrice<Kind extends TokenClass>(
  pricing: Pricing,
  kind: Kind,
  tier: ServiceTier,
  promptTokens: number,
): TokenPrices[Kind] {
  const tariff = tier === 'standard' ? undefined : pricing[tier];
  const ofTier = tariff && (priceOfLength(tariff.tiers ?? NONE, kind, promptTokens) ?? tariff[kind]);
  return ofTier ?? priceOfLength(pricing.tiers, kind, promptTokens) ?? pricing[kind];
}

const NONE: readonly never[] = [];

function priceOfLength(lengths: readonly PriceTier[], kind: TokenClass, promptTokens: number): PicoUsd | undefined {
  for (let index = lengths.length - 1; index >= 0; index--) {
    const length = lengths[index]!;
    const price = length[kind];
    if (length.minPromptTokens <= promptTokens && price !== undefined) return price;
  }
  return undefined;
}

/** Where a price of this tier may change with the length of the prompt. */
export const lengthsOf = (pricing: Pricing, tier: ServiceTier): readonly PriceTier[] => {
  const own = tier === 'standard' ? undefined : pricing[tier]?.tiers;
  return own ? [...pricing.tiers, ...own] : pricing.tiers;
};

/** A request as far as its size enters the price that endpoints are compared by. */
export interface ComparedSize {
  readonly promptTokensMin: number;
  readonly maxOutputTokens?: number | undefined;
  readonly images?: number | undefined;
  readonly webSearches?: number | undefined;
}

/** Of an answer, where no shorter one was asked for: fees are spread over so many tokens and those of the prompt. */
const OUTPUT_TOKENS_EXPECTED = 1_000;
/** The sum of both prices is what a token of each costs, so fees count for as many pairs of tokens. */
const TOKENS_PER_PAIR = 2;

/**
 * The one number endpoints are compared by: prompt + completion, USD per million tokens, with the fees that this
 * request comes to spread over its tokens. 0 = free.
 */
export function comparedPrice(pricing: Pricing | null, tier: ServiceTier, size: ComparedSize): number {
  if (!pricing) return 0;
  const { promptTokensMin } = size;
  const price = priceListAt(pricing, tier, promptTokensMin).pairPrice;
  const { request, image, webSearch } = pricing;
  if (request === undefined && image === undefined && webSearch === undefined) return price;
  const fees = feesOf(pricing, size);
  if (fees === 0) return price;
  const output = Math.min(size.maxOutputTokens ?? OUTPUT_TOKENS_EXPECTED, OUTPUT_TOKENS_EXPECTED);
  const pairs = Math.max(1, promptTokensMin + output) / TOKENS_PER_PAIR;
  return price + fees / pairs / PICO_PER_TOKEN_OF_USD_PER_MILLION;
}

/** 10⁻¹² USD. */
const feesOf = ({ request = 0n, image = 0n, webSearch = 0n }: Pricing, size: ComparedSize): number =>
  Number(request) + (size.images ?? 0) * Number(image) + (size.webSearches ?? 0) * Number(webSearch);
