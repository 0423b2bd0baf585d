import { formatUsd } from '../core/money/credits.js';
import { findTokenPrice } from '../core/routing/leg-price.js';
import type { Leg } from '../core/routing/plan.js';
import { TOKEN_CLASS_NAMES, TOKEN_CLASSES, UNIT_NAMES, UNITS } from '../core/routing/price-classes.js';
import { object, optional, text, type Static } from '../shared/http/schema.js';

const TOKENS_PER_MILLION = 1_000_000n;

/** Exact decimal strings. */
export const pricesView = object({
  prompt: text(),
  completion: text(),
  reasoning: optional(text()),
  image_output: optional(text()),
  input_cache_read: optional(text()),
  input_cache_write: optional(text()),
  input_cache_write_1h: optional(text()),
  request: optional(text()),
  image: optional(text()),
  web_search: optional(text()),
});
type PricesView = Static<typeof pricesView>;

/**
 * The prices of a leg in its tier for a prompt of this length: exact decimal strings, USD per million tokens, and per
 * unit for `request`, `image` and `web_search`. An absent class costs what `prompt` or `completion` costs.
 */
export function viewPrices({ endpoint, tier }: Pick<Leg, 'endpoint' | 'tier'>, promptTokensMin: number): PricesView {
  const { pricing } = endpoint;
  const view: PricesView = { prompt: '0', completion: '0' };
  if (!pricing) return view;
  for (const name of TOKEN_CLASS_NAMES) {
    const price = findTokenPrice(pricing, TOKEN_CLASSES[name], tier, promptTokensMin);
    if (price !== undefined) view[name] = formatUsd(price * TOKENS_PER_MILLION);
  }
  for (const name of UNIT_NAMES) {
    const price = pricing[UNITS[name]];
    if (price !== undefined) view[name] = formatUsd(price);
  }
  return view;
}
