import { GatewayError } from '../errors.js';
import { formatUsd, parseUsd, type PicoUsd } from '../money/credits.js';
import type { UnitPrices } from './catalog.js';
import type { Candidate } from './candidate.js';
import { tokenPrice } from './leg-price.js';
import type { PriceCaps } from './preferences.js';

/** `max_price`, read: amounts to compare prices with exactly. */
export interface ReadCaps {
  /** USD per million tokens, in 10⁻¹² USD. */
  readonly prompt?: PicoUsd;
  readonly completion?: PicoUsd;
  /** Per unit, in 10⁻¹² USD. */
  readonly image?: PicoUsd;
  readonly request?: PicoUsd;
}

const TOKENS_PER_MILLION = 1_000_000n;
const TOKEN_KINDS = ['prompt', 'completion'] as const;
const UNIT_KINDS = ['image', 'request'] as const satisfies readonly (keyof UnitPrices)[];

/**
 * The catalog has no price of audio: a cap on it always fits.
 * @throws GatewayError `invalid-request` for an amount that is no plain decimal
 */
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
 * The first price above its cap as `prompt 3 > 2`. Inclusive: a price at its cap fits
 * (docs/wire/routing.md#price-caps).
 */
export function findPriceAbove(caps: ReadCaps, candidate: Candidate, promptTokens: number): string | undefined {
  const { pricing } = candidate.endpoint;
  for (const kind of TOKEN_KINDS) {
    const cap = caps[kind];
    if (cap === undefined) continue;
    const price = pricing ? tokenPrice(pricing, kind, candidate.tier, promptTokens) * TOKENS_PER_MILLION : 0n;
    if (price > cap) return `${kind} ${formatUsd(price)} > ${formatUsd(cap)}`;
  }
  for (const kind of UNIT_KINDS) {
    const cap = caps[kind];
    const price = pricing?.[kind] ?? 0n;
    if (cap !== undefined && price > cap) return `${kind} ${formatUsd(price)} > ${formatUsd(cap)}`;
  }
  return undefined;
}
