import type { JsonObject } from '../../core/json/json.js';
import type { TokenClassName } from '../../core/routing/price-classes.js';
import { perMillion } from './decimal.js';

/** The key of each token class in LiteLLM's cost map. */
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

/** Prices in the form of a catalog file. */
export type PricesText = Readonly<Record<string, unknown>>;

export type PriceReading =
  | { readonly pricing: PricesText }
  /** Both prices are 0. */
  | { readonly isFree: true }
  /** Prices are absent, or one of input and output is; `fault`: a key that cannot be read. */
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
 * @param values its keys and values
 */
export function readPrices(values: JsonObject): PriceReading {
  const fault = Object.keys(values).find(
    (key) => isPriceKey(key) && values[key] !== null && perMillion(values[key]) === undefined,
  );
  if (fault !== undefined) return { fault };
  const base = pricesOf(values, '');
  if (base['prompt'] === undefined || base['completion'] === undefined) return {};
  if (Object.values(base).every((price) => price === '0')) return { isFree: true };
  const tiers = readTiers(values);
  const tariffs = TARIFFS.map((tariff) => [tariff, pricesOf(values, `_${tariff}`)] as const);
  return {
    pricing: {
      ...base,
      ...(tiers.length > 0 && { tiers }),
      ...Object.fromEntries(tariffs.filter(([, prices]) => Object.keys(prices).length > 0)),
    },
  };
}

/** From one token above the threshold on: LiteLLM charges the tier for what exceeds it. */
function readTiers(values: JsonObject): readonly PricesText[] {
  const thresholds = new Set(Object.keys(values).flatMap((key) => (isPriceKey(key) && TIER.exec(key)?.[1]) || []));
  return [...thresholds]
    .map(Number)
    .sort((one, other) => one - other)
    .map((thousands) => ({
      min_prompt_tokens: thousands * TOKENS_PER_THRESHOLD + 1,
      ...pricesOf(values, `_above_${thousands}k_tokens`),
    }));
}

function pricesOf(values: JsonObject, suffix: string): Readonly<Record<string, string>> {
  const prices = CLASSES.flatMap(([name, key]) => {
    const price = perMillion(values[key + suffix]);
    return price === undefined ? [] : [[name, price] as const];
  });
  return Object.fromEntries(prices);
}
