import type { JsonObject } from '../core/json.js';
import { formatUsd } from '../core/money/credits.js';
import { findTokenPrice, type TokenClass } from '../core/routing/leg-price.js';
import type { Leg } from '../core/routing/plan.js';

const TOKENS_PER_MILLION = 1_000_000n;

/** By the names of the catalog file, in its order. */
const TOKEN_CLASSES = [
  ['prompt', 'prompt'],
  ['completion', 'completion'],
  ['reasoning', 'reasoning'],
  ['input_cache_read', 'inputCacheRead'],
  ['input_cache_write', 'inputCacheWrite'],
  ['input_cache_write_1h', 'inputCacheWrite1h'],
] as const satisfies readonly (readonly [string, TokenClass])[];

const UNITS = [
  ['request', 'request'],
  ['image', 'image'],
  ['web_search', 'webSearch'],
] as const;

/**
 * What a leg charges in its tier for a prompt of this length: exact decimal strings, USD per million tokens, and per unit for
 * `request`, `image` and `web_search`. A class that is absent costs what `prompt` or `completion` costs.
 */
export function viewPrices({ endpoint, tier }: Pick<Leg, 'endpoint' | 'tier'>, promptTokensMin: number): JsonObject {
  const { pricing } = endpoint;
  if (!pricing) return { prompt: '0', completion: '0' };
  const view: Record<string, string> = {};
  for (const [name, kind] of TOKEN_CLASSES) {
    const price = findTokenPrice(pricing, kind, tier, promptTokensMin);
    if (price !== undefined) view[name] = formatUsd(price * TOKENS_PER_MILLION);
  }
  for (const [name, kind] of UNITS) {
    const price = pricing[kind];
    if (price !== undefined) view[name] = formatUsd(price);
  }
  return view;
}
