import { formatUsd } from '../core/money/credits.js';
import type { Pricing } from '../core/routing/catalog.js';
import { findTokenPrice, lengthsOf } from '../core/routing/leg-price.js';
import type { ServiceTier } from '../core/routing/plan.js';
import {
  TOKEN_CLASS_NAMES,
  TOKEN_CLASSES,
  UNIT_NAMES,
  UNITS,
  type TokenClassName,
} from '../core/routing/price-classes.js';
import { integer, object, optional, rows, text, titled, described, type Static } from '../shared/http/schema.js';

/** The wire format has another word for one of them (docs/use/models.md#a-model). */
const wireName = (name: TokenClassName): Exclude<TokenClassName, 'reasoning'> | 'internal_reasoning' =>
  name === 'reasoning' ? 'internal_reasoning' : name;

const prices = {
  completion: text(),
  internal_reasoning: optional(text()),
  image_output: optional(text()),
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
          'Prices that differ for longer prompts.',
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
 * The prices of an endpoint in a tier. An absent class costs as much as `prompt` or `completion`; `overrides` are the
 * prices of longer prompts.
 * @param pricing null: free
 */
export function viewPricing(pricing: Pricing | null, tier: ServiceTier): PricingView {
  const view: Omit<PricingView, 'overrides'> = { prompt: '0', completion: '0' };
  if (!pricing) return view;
  for (const name of TOKEN_CLASS_NAMES) {
    const price = findTokenPrice(pricing, TOKEN_CLASSES[name], tier, 0);
    if (price !== undefined) view[wireName(name)] = formatUsd(price);
  }
  for (const name of UNIT_NAMES) {
    const price = pricing[UNITS[name]];
    if (price !== undefined) view[name] = formatUsd(price);
  }
  const starts = new Set(lengthsOf(pricing, tier).map(({ minPromptTokens }) => minPromptTokens));
  const overrides = [...starts]
    .sort((one, other) => one - other)
    .map((start) => viewOverride(pricing, start, tier))
    .filter((override) => override !== undefined);
  return overrides.length > 0 ? { ...view, overrides } : view;
}

/** The prices that change where a prompt reaches this length. */
function viewOverride(pricing: Pricing, start: number, tier: ServiceTier): OverrideView | undefined {
  const view: Omit<OverrideView, 'min_prompt_tokens'> = {};
  for (const name of TOKEN_CLASS_NAMES) {
    const kind = TOKEN_CLASSES[name];
    const price = findTokenPrice(pricing, kind, tier, start);
    if (price === undefined || price === findTokenPrice(pricing, kind, tier, start - 1)) continue;
    view[wireName(name)] = formatUsd(price);
  }
  return Object.keys(view).length > 0 ? { min_prompt_tokens: start, ...view } : undefined;
}
