import type { ModelRequest } from '../../core/conversation/request.js';
import { definedOnly } from '../../core/defined.js';
import type { Target } from '../../core/provider.js';
import { isPlainTier, isPriced, pricedWords } from '../../core/routing/priced-words.js';

/** What a call says of tier, speed and place, in the words of the Messages format. Absent: nothing. */
export interface TierParameters {
  readonly serviceTier?: string;
  readonly speed?: 'fast';
  readonly inferenceGeo?: string;
}

export const NO_TIER: TierParameters = {};

/**
 * The tier and place this attempt asks for: what its leg was planned in, and will be charged as. Of the caller's own
 * words only those go on that name what is served at the plain price anyway; that the speed is `standard` need not be
 * said (docs/wire/messages.md#speed-and-tier, docs/wire/routing.md#words-with-a-price).
 */
export function tierParameters(request: ModelRequest, { tier, endpoint }: Target): TierParameters {
  const { serviceTier, inferenceGeo } = request;
  return definedOnly({
    serviceTier: tier === 'standard' ? plain(serviceTier) : tier === 'fast' ? undefined : tier,
    speed: tier === 'fast' ? ('fast' as const) : undefined,
    inferenceGeo: endpoint.geography?.word ?? (isPlainPlace(request) ? inferenceGeo : undefined),
  });
}

const plain = (tier: string | undefined): string | undefined =>
  tier !== undefined && isPlainTier(tier) ? tier : undefined;

/** A place without a price of its own is where everybody is served. */
const isPlainPlace = (request: ModelRequest): boolean =>
  !pricedWords(request).some(({ field }) => field === 'inference_geo');

/** The betas that a caller named, without those that this attempt has no prices for. */
export function pricedBetas(request: ModelRequest, target: Target): readonly string[] {
  if (request.betas.length === 0) return request.betas;
  const dropped = pricedWords(request).filter((word) => !isPriced(word, target));
  return request.betas.filter((beta) => !dropped.some(({ value }) => value === beta));
}
