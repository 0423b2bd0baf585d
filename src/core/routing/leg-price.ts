import type { PicoUsd } from '../money/credits.js';
import type { Pricing, TokenPrices } from './catalog.js';
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
} as const satisfies Readonly<Record<TokenClass, TokenClass>>;

/**
 * What a token costs in this tier, for a prompt of this length: 10⁻¹² USD (docs/catalog.md#prices). What neither the
 * tier nor the length nor the plain list names costs what `prompt` or `completion` costs in this tier, at this length.
 */
export function tokenPrice(pricing: Pricing, kind: TokenClass, tier: ServiceTier, promptTokens: number): PicoUsd {
  return (
    findTokenPrice(pricing, kind, tier, promptTokens) ?? findTokenPrice(pricing, SIDE_OF[kind], tier, promptTokens)
  );
}

/**
 * The price that the catalog names for a class, undefined where it names none. Each list says only what differs from
 * the next: the tier's own wins, whatever the prompt's length; then the longest length that the prompt reaches and that
 * names the class; then the plain list.
 * @param promptTokens the whole prompt: cache reads and writes are part of it
 */
export function findTokenPrice<Kind extends TokenClass>(
  pricing: Pricing,
  kind: Kind,
  tier: ServiceTier,
  promptTokens: number,
): TokenPrices[Kind] {
  const ofTier = tier === 'standard' ? undefined : pricing[tier]?.[kind];
  if (ofTier !== undefined) return ofTier;
  for (let index = pricing.tiers.length - 1; index >= 0; index--) {
    const length = pricing.tiers[index]!;
    const price = length[kind];
    if (length.minPromptTokens <= promptTokens && price !== undefined) return price;
  }
  return pricing[kind];
}

/** The one number endpoints are compared by: prompt + completion, USD per million tokens. 0 = free. */
export function comparedPrice(pricing: Pricing | null, tier: ServiceTier, promptTokens: number): number {
  if (!pricing) return 0;
  const sum = tokenPrice(pricing, 'prompt', tier, promptTokens) + tokenPrice(pricing, 'completion', tier, promptTokens);
  return Number(sum) / PICO_PER_TOKEN_OF_USD_PER_MILLION;
}
