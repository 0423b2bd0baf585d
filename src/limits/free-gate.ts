import { Injectable } from '@nestjs/common';
import type { GatewayError } from '../core/errors.js';
import { HIGHER_FREE_REQUESTS_A_DAY } from '../core/money/free-requests.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { Leg } from '../core/routing/plan.js';
import { LimitCounts } from './limit-counts.js';
import { rateLimitError } from './rate-limit-error.js';

/** docs/wire/limits.md#free-variants: requests to free variants in a minute, for everyone. */
const PER_MINUTE = 20;
/** Catalogue variants that cost nothing and are limited by number instead. */
const FREE_VARIANT = ':free';

/** Through the caller's own credential nothing is free, nor counted as such (docs/wire/limits.md#free-variants). */
export const isFreeVariant = ({ model, credential }: Pick<Leg, 'model' | 'credential'>): boolean =>
  credential === SHARED_CREDENTIAL && model.id.endsWith(FREE_VARIANT);

/** A request that counts in the minute of free variants. */
export interface FreePlace {
  /** It was answered by what is paid for, and counts no more, as far as the minute still lasts. Never throws. */
  giveBack(): void;
}

/**
 * The minute of free variants (`:free`): twenty requests of an account, over all free models, keys and replicas. A
 * request counts at admission, whatever its end, unless it is given back.
 */
@Injectable()
export class FreeGate {
  constructor(private readonly counts: LimitCounts) {}

  /** Counts one request. @throws GatewayError `rate-limited` */
  async enter(accountId: string): Promise<FreePlace> {
    const claimed = await this.counts.claim({
      // No model's: those have a slash in their ids.
      subject: `${accountId}:free`,
      // As one token of twenty: of those what was not used goes back.
      limits: { tokensPerMinute: PER_MINUTE },
      owner: '',
      tokens: 1,
    });
    if ('slot' in claimed) return { giveBack: () => claimed.slot.release(0) };
    throw rateLimitError('Rate limit exceeded: free-models-per-min', {
      limit: PER_MINUTE,
      resetAtMs: claimed.refusal.resetAtMs,
      source: 'openrouter_free_tier_per_minute',
    });
  }
}

/**
 * What a caller is told whose day of free variants is used up (docs/wire/errors.md#free-variants).
 * @param limit requests a day, as the hold was refused by
 * @param resetAtMs the next 00:00 UTC, epoch milliseconds
 */
export function freeDayError({
  limit,
  resetAtMs,
}: {
  readonly limit: number;
  readonly resetAtMs: number;
}): GatewayError {
  const message =
    limit >= HIGHER_FREE_REQUESTS_A_DAY
      ? 'Rate limit exceeded: free-models-per-day-high-balance'
      : `Rate limit exceeded: free-models-per-day; with 10 credits bought the account has ${HIGHER_FREE_REQUESTS_A_DAY} a day`;
  return rateLimitError(message, { limit, resetAtMs, source: 'openrouter_free_tier_daily' });
}
