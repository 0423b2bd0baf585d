import type { ModelRequest } from '../../core/conversation/request.js';
import { definedOnly } from '../../core/defined.js';
import type { Target } from '../../core/provider.js';
import { isPlainTier, isPriced, pricedOptions } from '../../core/routing/priced-options.js';

/** The tier, speed and region of a call, in the Messages format's values. Absent: not stated. */
export interface TierParameters {
  readonly serviceTier?: string;
  readonly speed?: 'fast';
  readonly inferenceGeo?: string;
}

export const NO_TIER: TierParameters = {};

/**
 * The tier and region of this attempt: those of its leg's plan and its charge. Of the caller's own values only those
 * are sent that are served at the plain price anyway. The speed `standard` is the default and not sent
 * (docs/use/messages.md#speed-and-tier, docs/use/choosing-providers.md#options-that-change-the-price).
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

/** A region without a separate price is the default one. */
const isPlainPlace = (request: ModelRequest): boolean =>
  !pricedOptions(request).some(({ field }) => field === 'inference_geo');

/** The caller's betas, without those that this attempt has no prices for. */
export function pricedBetas(request: ModelRequest, target: Target): readonly string[] {
  if (request.betas.length === 0) return request.betas;
  const dropped = pricedOptions(request).filter((option) => !isPriced(option, target));
  return request.betas.filter((beta) => !dropped.some(({ value }) => value === beta));
}
