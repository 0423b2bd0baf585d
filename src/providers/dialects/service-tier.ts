import type { ModelRequest } from '../../core/conversation/request.js';
import { definedOnly } from '../../core/defined.js';
import type { Target } from '../../core/provider.js';

/** What a call says of tier and speed, in the words of the Messages format. Absent: nothing. */
export interface TierParameters {
  readonly serviceTier?: string;
  readonly speed?: 'standard' | 'fast';
}

const NO_TIER: TierParameters = {};

/**
 * The tier this attempt asks for. A tier that the catalog prices apart is asked for only by the attempt that was
 * planned, and will be charged, at that price; any other word is the caller's own and goes on as it came
 * (docs/wire/messages.md#speed-and-tier, docs/wire/routing.md#service-tiers).
 */
export function tierParameters({ serviceTier, speed }: ModelRequest, { tier, endpoint }: Target): TierParameters {
  if (tier === 'fast') return { speed: 'fast' };
  if (tier !== 'standard') return { serviceTier: tier };
  if (serviceTier === undefined && speed === undefined) return NO_TIER;
  const isApart = (word: string | undefined): boolean =>
    (word === 'fast' || word === 'priority' || word === 'flex') && endpoint.pricing?.[word] !== undefined;
  return definedOnly({
    serviceTier: isApart(serviceTier) ? undefined : serviceTier,
    speed: isApart(speed) ? undefined : speed,
  });
}
