import { Injectable } from '@nestjs/common';
import type { GatewayError } from '../core/errors.js';
import { LimitCounts } from './limit-counts.js';
import { rateLimitError } from './rate-limit-error.js';

/** WIRE 1.33: requests to free variants in a minute, for everyone. */
const PER_MINUTE = 20;
/** WIRE 1.33: requests to free variants in a day, once enough credits were bought. */
const PER_DAY_HIGH = 1000;

/**
 * The minute of free variants (`:free`): twenty requests of an account, over all free models, keys and replicas. A request counts at
 * admission, whatever its end.
 */
@Injectable()
export class FreeGate {
  constructor(private readonly counts: LimitCounts) {}

  /** Counts one request. @throws GatewayError `rate-limited` */
  async enter(accountId: string): Promise<void> {
    const claimed = await this.counts.claim({
      // No model's: those have a slash in their ids.
      subject: `${accountId}:free`,
      limits: { requestsPerMinute: PER_MINUTE },
      owner: '',
      tokens: 0,
    });
    if ('slot' in claimed) return;
    throw rateLimitError('Rate limit exceeded: free-models-per-min', {
      limit: PER_MINUTE,
      resetAtMs: claimed.refusal.resetAtMs,
      source: 'openrouter_free_tier_per_minute',
    });
  }
}

/**
 * What a caller is told whose day of free variants is used up (WIRE 1.32).
 * @param limit requests a day: 50, or 1000 once enough credits were bought
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
    limit >= PER_DAY_HIGH
      ? 'Rate limit exceeded: free-models-per-day-high-balance'
      : `Rate limit exceeded: free-models-per-day; with 10 credits bought the account has ${PER_DAY_HIGH} a day`;
  return rateLimitError(message, { limit, resetAtMs, source: 'openrouter_free_tier_daily' });
}
