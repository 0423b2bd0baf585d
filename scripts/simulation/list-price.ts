import type { PicoUsd } from '../../src/core/money/credits.js';
import type { Pricing, TokenPrices } from '../../src/core/routing/catalog.js';
import { tokenPrice } from '../../src/core/routing/leg-price.js';
import type { ServiceTier } from '../../src/core/routing/plan.js';

/** Tokens of one answer, each counted once: the prompt is `fresh` + `cached` + `written`. */
export interface AnswerTokens {
  readonly fresh: number;
  /** Read from the provider's cache. */
  readonly cached: number;
  /** The price of writing to it, if that is separate. */
  readonly written: number;
  readonly answer: number;
}

type CacheClass = 'inputCacheRead' | 'inputCacheWrite';

/** The list price of an answer: without fees and holds. */
export function listPrice(pricing: Pricing | null, tier: ServiceTier, tokens: AnswerTokens): PicoUsd {
  if (!pricing) return 0n;
  const { fresh, cached, written, answer } = tokens;
  const promptTokens = fresh + cached + written;
  const prompt = tokenPrice(pricing, 'prompt', tier, promptTokens);
  const priceOf = (kind: CacheClass): PicoUsd => cachePrice(pricing, kind, tier, promptTokens) ?? prompt;
  return (
    BigInt(fresh) * prompt +
    BigInt(cached) * priceOf('inputCacheRead') +
    BigInt(written) * priceOf('inputCacheWrite') +
    BigInt(answer) * tokenPrice(pricing, 'completion', tier, promptTokens) +
    (pricing.request ?? 0n)
  );
}

/** In the order of `tokenPrice` for prompt and completion: the tier's list, then the length's, then the plain one. */
function cachePrice(
  pricing: Pricing,
  kind: CacheClass,
  tier: ServiceTier,
  promptTokens: number,
): TokenPrices[CacheClass] {
  const ofTier = tier === 'standard' ? undefined : pricing[tier]?.[kind];
  const ofLength = pricing.tiers.findLast(
    (length) => length.minPromptTokens <= promptTokens && length[kind] !== undefined,
  );
  return ofTier ?? ofLength?.[kind] ?? pricing[kind];
}
