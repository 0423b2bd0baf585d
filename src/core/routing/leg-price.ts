import type { PicoUsd } from '../money/credits.js';
import type { PriceTier, Pricing, TokenPrices } from './catalog.js';
import type { ServiceTier } from './plan.js';

/** Factor between prices per token in 10⁻¹² USD, as kept, and USD per million tokens. */
const PICO_PER_TOKEN_OF_USD_PER_MILLION = 1_000_000;

/** The classes of tokens with separate prices. */
export type TokenClass = keyof TokenPrices;

/** The side of each class; a class without a price in the catalog costs the same as the class named after its side. */
export const SIDE_OF = {
  prompt: 'prompt',
  inputCacheRead: 'prompt',
  inputCacheWrite: 'prompt',
  inputCacheWrite1h: 'prompt',
  completion: 'completion',
  reasoning: 'completion',
  imageOutput: 'completion',
} as const satisfies Readonly<Record<TokenClass, TokenClass>>;

/** The price of a token of each class. */
export type ClassPrices = Readonly<Record<TokenClass, PicoUsd>>;

/** The highest price of a token on a side, over the classes that a prompt may fall into. */
export interface DearestPrices {
  /** Prices by the caches that the prompt may write: none, one of five minutes, one of an hour. */
  readonly uncached: PicoUsd;
  readonly shortCache: PicoUsd;
  readonly longCache: PicoUsd;
  readonly completion: PicoUsd;
}

/** The prices of one tier from a prompt length on, up to the start of the next list. */
export interface PriceList {
  readonly minPromptTokens: number;
  readonly prices: ClassPrices;
  /** Over this list and all shorter ones: a longer prompt may be cheaper. */
  readonly dearest: DearestPrices;
  /** Prompt + completion, USD per million tokens. */
  readonly pairPrice: number;
}

/** Compiled once for each pricing of a catalog. */
const priceLists = new WeakMap<Pricing, Partial<Record<ServiceTier, readonly PriceList[]>>>();

/**
 * The price list of a tier for a prompt of this length.
 * @param promptTokens the whole prompt, cache reads and writes included
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

/** @param before the highest prices of the shorter lists */
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
 * The price of a token in this tier at this prompt length: 10⁻¹² USD (docs/operate/catalog.md#prices). A class without
 * a price in the tier, the length or the plain list costs the same as `prompt` or `completion` in this tier at this
 * length.
 */
export function tokenPrice(pricing: Pricing, kind: TokenClass, tier: ServiceTier, promptTokens: number): PicoUsd {
  return priceListAt(pricing, tier, promptTokens).prices[kind];
}

/**
 * The catalog's price of a class, undefined where it has none. Each list holds only differences to the next: first the
 * tier's own prices, at the longest of its lengths that the prompt reaches and that prices the class, else without a
 * length; then the plain list in the same way.
 * @param promptTokens the whole prompt, cache reads and writes included
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

/** The lengths at which a price of this tier may change. */
export const lengthsOf = (pricing: Pricing, tier: ServiceTier): readonly PriceTier[] => {
  const own = tier === 'standard' ? undefined : pricing[tier]?.tiers;
  return own ? [...pricing.tiers, ...own] : pricing.tiers;
};

/** The sizes of a request that enter the price by which endpoints are compared. */
export interface ComparedSize {
  readonly promptTokensMin: number;
  readonly maxOutputTokens?: number | undefined;
  readonly images?: number | undefined;
  readonly webSearches?: number | undefined;
}

/**
 * Expected answer length where the request sets no shorter one: fees are spread over these tokens and those of the
 * prompt.
 */
const OUTPUT_TOKENS_EXPECTED = 1_000;
/** The compared price is the sum of a prompt and a completion token, so fees are spread over pairs of tokens. */
const TOKENS_PER_PAIR = 2;

/**
 * The number by which endpoints are compared: prompt + completion in USD per million tokens, with the fees of this
 * request spread over its tokens. 0 = free.
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
