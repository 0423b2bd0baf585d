import { formatUsd } from '../core/money/credits.js';
import type { Pricing } from '../core/routing/catalog.js';
import { findTokenPrice, lengthsOf, type TokenClass } from '../core/routing/leg-price.js';
import type { ServiceTier } from '../core/routing/plan.js';
import { integer, object, optional, rows, text, titled, described, type Static } from '../shared/http/schema.js';

/** By the names of the wire (docs/models.md#a-model), in its order. */
const TOKEN_CLASSES = [
  ['prompt', 'prompt'],
  ['completion', 'completion'],
  ['internal_reasoning', 'reasoning'],
  ['input_cache_read', 'inputCacheRead'],
  ['input_cache_write', 'inputCacheWrite'],
  ['input_cache_write_1h', 'inputCacheWrite1h'],
] as const satisfies readonly (readonly [string, TokenClass])[];

const UNITS = [
  ['request', 'request'],
  ['image', 'image'],
  ['web_search', 'webSearch'],
] as const;

const prices = {
  completion: text(),
  internal_reasoning: optional(text()),
  input_cache_read: optional(text()),
  input_cache_write: optional(text()),
  input_cache_write_1h: optional(text()),
};

/** Exact decimal strings, USD per token, and per unit for `request`, `image` and `web_search`. */
export const pricingView = titled(
  'pricing',
  described(
    'Exact decimals: USD per token, and per unit for `request`, `image` and `web_search`.',
    object({
      prompt: text(),
      ...prices,
      request: optional(text()),
      image: optional(text()),
      web_search: optional(text()),
      overrides: optional(
        described(
          'What differs for longer prompts.',
          rows(
            object({ min_prompt_tokens: integer(), prompt: optional(text()), ...prices, completion: optional(text()) }),
          ),
        ),
      ),
    }),
  ),
);
type PricingView = Static<typeof pricingView>;
type OverrideView = NonNullable<PricingView['overrides']>[number];

/**
 * What an endpoint charges in a tier. A class that is absent costs what `prompt` or `completion` costs; `overrides` are
 * the prices of longer prompts.
 * @param pricing null: free
 */
export function viewPricing(pricing: Pricing | null, tier: ServiceTier): PricingView {
  const view: Omit<PricingView, 'overrides'> = { prompt: '0', completion: '0' };
  if (!pricing) return view;
  for (const [name, kind] of TOKEN_CLASSES) {
    const price = findTokenPrice(pricing, kind, tier, 0);
    if (price !== undefined) view[name] = formatUsd(price);
  }
  for (const [name, kind] of UNITS) {
    const price = pricing[kind];
    if (price !== undefined) view[name] = formatUsd(price);
  }
  const starts = new Set(lengthsOf(pricing, tier).map(({ minPromptTokens }) => minPromptTokens));
  const overrides = [...starts]
    .sort((one, other) => one - other)
    .map((start) => viewOverride(pricing, start, tier))
    .filter((one) => one !== undefined);
  return overrides.length > 0 ? { ...view, overrides } : view;
}

/** What changes where a prompt reaches this length. */
function viewOverride(pricing: Pricing, start: number, tier: ServiceTier): OverrideView | undefined {
  const view: Omit<OverrideView, 'min_prompt_tokens'> = {};
  for (const [name, kind] of TOKEN_CLASSES) {
    const price = findTokenPrice(pricing, kind, tier, start);
    if (price !== undefined && price !== findTokenPrice(pricing, kind, tier, start - 1)) view[name] = formatUsd(price);
  }
  return Object.keys(view).length > 0 ? { min_prompt_tokens: start, ...view } : undefined;
}
