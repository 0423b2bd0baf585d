import type { Pricing } from '../routing/catalog.js';
import { SIDE_OF, tokenPrice, type TokenClass } from '../routing/leg-price.js';
import type { Leg, ServiceTier } from '../routing/plan.js';
import type { PicoUsd } from './credits.js';
import type { MeasuredPrompt } from './measure-prompt.js';

/**
 * How many pages a PDF has is not known before it is read, which nobody does here; no vendor's documentation lets one
 * have more than this. Chosen.
 */
const PAGES_PER_DOCUMENT_MAX = 1_000;

const CLASSES = Object.keys(SIDE_OF) as readonly TokenClass[];
const INPUT_CLASSES = CLASSES.filter((kind) => SIDE_OF[kind] === 'prompt');
const OUTPUT_CLASSES = CLASSES.filter((kind) => SIDE_OF[kind] === 'completion');

/** The part of a leg that its bound depends on. */
export type BoundLeg = Pick<Leg, 'model' | 'endpoint' | 'tier'>;

/** The most tokens one call may be charged for. */
export interface TokenBound {
  readonly input: number;
  readonly output: number;
}

/**
 * The most one call can cost at this leg's list price, exactly (docs/reasons/money.md#bound). It holds as long as no
 * tokenizer makes more than a token of two ASCII bytes or of one other byte, and no vendor adds more than 64 tokens of
 * its own to a message or tool. It never falls when the prompt or `max_tokens` grows.
 */
export function boundOf(prompt: MeasuredPrompt, leg: BoundLeg): PicoUsd {
  const { pricing } = leg.endpoint;
  if (!pricing) return 0n;
  const { input, output } = boundTokens(prompt, leg);
  return (
    BigInt(input) * highestPrice(pricing, INPUT_CLASSES, leg.tier, input) +
    BigInt(output) * highestPrice(pricing, OUTPUT_CLASSES, leg.tier, input) +
    BigInt(prompt.images) * (pricing.image ?? 0n) +
    BigInt(prompt.webSearches) * (pricing.webSearch ?? 0n) +
    (pricing.request ?? 0n)
  );
}

/**
 * Where nobody limits the output, the context does: what it leaves is all of it, since the bound of a prompt says
 * nothing of how short the prompt may be.
 */
export function boundTokens(prompt: MeasuredPrompt, { model, endpoint }: BoundLeg): TokenBound {
  const { contextLength } = endpoint;
  const { imageTokensMax = contextLength, pageTokensMax = contextLength } = model;
  const input = prompt.fillsContext
    ? contextLength
    : prompt.textTokens + prompt.images * imageTokensMax + prompt.documents * PAGES_PER_DOCUMENT_MAX * pageTokensMax;
  const output = prompt.maxOutputTokens ?? endpoint.maxCompletionTokens ?? model.maxCompletionTokens ?? contextLength;
  return { input: Math.min(input, contextLength), output };
}

/**
 * How many tokens of output this amount pays for at this leg, behind the whole prompt at its bound: what a caller
 * may lower `max_tokens` to.
 */
export function affordableOutput(prompt: MeasuredPrompt, leg: BoundLeg, available: PicoUsd): number {
  const { output } = boundTokens(prompt, leg);
  const promptOnly = boundOf({ ...prompt, maxOutputTokens: 0 }, leg);
  const perToken = output === 0 ? 0n : (boundOf(prompt, leg) - promptOnly) / BigInt(output);
  if (available < promptOnly) return 0;
  return perToken === 0n ? output : Math.min(output, Number((available - promptOnly) / perToken));
}

/** Over every price list that a prompt of up to this length may fall under: a longer one may be cheaper. */
function highestPrice(
  pricing: Pricing,
  kinds: readonly TokenClass[],
  tier: ServiceTier,
  promptTokensMax: number,
): PicoUsd {
  const lengths = [0];
  for (const { minPromptTokens } of pricing.tiers)
    if (minPromptTokens <= promptTokensMax) lengths.push(minPromptTokens);
  let most = 0n;
  for (const kind of kinds) {
    for (const length of lengths) {
      const price = tokenPrice(pricing, kind, tier, length);
      if (price > most) most = price;
    }
  }
  return most;
}
