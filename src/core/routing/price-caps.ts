import { GatewayError } from '../errors.js';
import { dearestPrices } from '../money/bound.js';
import { formatUsd, parseUsd, type PicoUsd } from '../money/credits.js';
import type { MeasuredPrompt } from '../money/measure-prompt.js';
import type { UnitPrices } from './catalog.js';
import type { Candidate } from './candidate.js';
import type { PriceCaps } from './preferences.js';
import type { RouteNeeds } from './route-inputs.js';

/** `max_price`, parsed to exact amounts. */
export interface ReadCaps {
  /** USD per million tokens, in 10⁻¹² USD. */
  readonly prompt?: PicoUsd;
  readonly completion?: PicoUsd;
  /** Per unit, in 10⁻¹² USD. */
  readonly image?: PicoUsd;
  readonly request?: PicoUsd;
  /** Per token of audio. */
  readonly audio?: PicoUsd;
}

const TOKENS_PER_MILLION = 1_000_000n;
const TOKEN_KINDS = ['prompt', 'completion'] as const;
const UNIT_KINDS = ['image', 'request'] as const satisfies readonly (keyof UnitPrices)[];

/** @throws GatewayError `invalid-request` for an amount that is no plain decimal */
export function readCaps(caps: PriceCaps): ReadCaps {
  const read: { -readonly [Kind in keyof PriceCaps]?: PicoUsd } = {};
  for (const kind of [...TOKEN_KINDS, ...UNIT_KINDS, 'audio'] as const) {
    const text = caps[kind];
    if (text === undefined) continue;
    const amount = parseUsd(text);
    if (amount === undefined) {
      throw new GatewayError('invalid-request', `provider.max_price.${kind}: must be a decimal number such as "2.5"`);
    }
    read[kind] = amount;
  }
  return read;
}

/**
 * The first price above its cap, as `prompt 3 > 2`. Inclusive: a price equal to its cap fits
 * (docs/use/choosing-providers.md#price-caps). Uses the highest price of a side over its classes and the lengths this
 * prompt may reach: the most the call may be charged.
 */
export function findPriceAbove(caps: ReadCaps, candidate: Candidate, needs: RouteNeeds): string | undefined {
  const { pricing } = candidate.endpoint;
  if (!pricing) return undefined;
  const { prompt, completion } = dearestPrices(pricing, needs.measured ?? NO_PROMPT, candidate);
  // Audio tokens are charged as prompt tokens.
  const audio = needs.modalities.includes('audio') ? prompt : 0n;
  return (
    above('prompt', caps.prompt, prompt * TOKENS_PER_MILLION) ??
    above('completion', caps.completion, completion * TOKENS_PER_MILLION) ??
    above('image', caps.image, pricing.image) ??
    above('request', caps.request, pricing.request) ??
    above('audio', caps.audio, audio)
  );
}

/** The bound of an unmeasured request. */
const NO_PROMPT: MeasuredPrompt = { textTokens: 0, images: 0, documents: 0, fillsContext: true, webSearches: 0 };

const above = (kind: keyof ReadCaps, cap: PicoUsd | undefined, price: PicoUsd = 0n): string | undefined =>
  cap === undefined || price <= cap ? undefined : `${kind} ${formatUsd(price)} > ${formatUsd(cap)}`;
