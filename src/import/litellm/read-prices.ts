import type { JsonObject } from '../../core/json/json.js';
import type { TokenClassName } from '../../core/routing/price-classes.js';
import { perMillion } from './decimal.js';

/** What a class of tokens costs, by the name that LiteLLM's map of costs has for it. */
const COST_KEYS: Readonly<Record<TokenClassName, string>> = {
  prompt: 'input_cost_per_token',
  completion: 'output_cost_per_token',
  reasoning: 'output_cost_per_reasoning_token',
  image_output: 'output_cost_per_image_token',
  input_cache_read: 'cache_read_input_token_cost',
  input_cache_write: 'cache_creation_input_token_cost',
  input_cache_write_1h: 'cache_creation_input_token_cost_above_1hr',
};
const CLASSES = Object.entries(COST_KEYS) as readonly (readonly [TokenClassName, string])[];
const TARIFFS = ['priority', 'flex'] as const;
const TIER = /_above_(\d{1,4})k_tokens$/;
/** LiteLLM counts its thresholds in thousands. */
const TOKENS_PER_THRESHOLD = 1000;

/** Prices as a catalog file writes them. */
export type PricesText = Readonly<Record<string, unknown>>;

export type PriceReading =
  | { readonly pricing: PricesText }
  /** Both prices are said to be 0. */
  | { readonly isFree: true }
  /** Nothing is said, or not both of what goes in and what comes out; `fault`: a key that cannot be read. */
  | { readonly fault?: string };

/** Whether a key is one of the prices that are read here. */
export const isPriceKey = (key: string): boolean =>
  CLASSES.some(([, base]) => {
    if (!key.startsWith(base)) return false;
    const suffix = key.slice(base.length);
    return (
      suffix === '' || TARIFFS.some((tariff) => suffix === `_${tariff}`) || /^_above_\d{1,4}k_tokens$/.test(suffix)
    );
  });

/**
 * The prices of a deployment (docs.litellm.ai/docs/proxy/custom_pricing, of 2026-10-08).
 * @param said its keys and values
 */
export function readPrices(said: JsonObject): PriceReading {
  const fault = Object.keys(said).find(
    (key) => isPriceKey(key) && said[key] !== null && perMillion(said[key]) === undefined,
  );
  if (fault !== undefined) return { fault };
  const base = pricesOf(said, '');
  if (base['prompt'] === undefined || base['completion'] === undefined) return {};
  if (Object.values(base).every((price) => price === '0')) return { isFree: true };
  const tiers = readTiers(said);
  const tariffs = TARIFFS.map((tariff) => [tariff, pricesOf(said, `_${tariff}`)] as const);
  return {
    pricing: {
      ...base,
      ...(tiers.length > 0 && { tiers }),
      ...Object.fromEntries(tariffs.filter(([, prices]) => Object.keys(prices).length > 0)),
    },
  };
}

/** From one token more than the threshold on, as LiteLLM charges what exceeds it. */
function readTiers(said: JsonObject): readonly PricesText[] {
  const thresholds = new Set(Object.keys(said).flatMap((key) => (isPriceKey(key) && TIER.exec(key)?.[1]) || []));
  return [...thresholds]
    .map(Number)
    .sort((one, other) => one - other)
    .map((thousands) => ({
      min_prompt_tokens: thousands * TOKENS_PER_THRESHOLD + 1,
      ...pricesOf(said, `_above_${thousands}k_tokens`),
    }));
}

function pricesOf(said: JsonObject, suffix: string): Readonly<Record<string, string>> {
  const prices = CLASSES.flatMap(([name, key]) => {
    const price = perMillion(said[key + suffix]);
    return price === undefined ? [] : [[name, price] as const];
  });
  return Object.fromEntries(prices);
}
