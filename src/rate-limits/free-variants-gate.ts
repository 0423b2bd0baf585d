import { Injectable } from '@nestjs/common';
import { InjectThrottlerStorage } from '@nestjs/throttler';
import type { Caller } from '../core/caller.js';
import type { GatewayError } from '../core/errors.js';
import { HIGHER_FREE_REQUESTS_A_DAY } from '../core/money/free-requests.js';
import { shareOf } from './call-windows.js';
import { FloodStorage } from './flood-storage.js';
import { LimitCounts } from './limit-counts.js';
import { rateLimitError } from './rate-limit-error.js';

/** docs/use/limits.md#free-variants: requests to free variants in a minute, for every account. */
const PER_MINUTE = 20;
const DAILY = 'openrouter_free_tier_daily';

/** Added to the message where the account can get a higher limit. */
const MORE_A_DAY = `; with 10 credits bought the account has ${HIGHER_FREE_REQUESTS_A_DAY} a day`;
/** Added to the message where the key reached its share. */
const HALVED = '; while other keys of the account make calls, each has half of them';

/** A request that counts in the minute of free variants. */
export interface FreeRequestCount {
  /** A paid model answered it: it no longer counts, if the minute still lasts. Never throws. */
  giveBack(): void;
}

/**
 * The minute of free variants (`:free`): twenty requests of an account, over all free models, keys and replicas. A
 * request counts at admission, whatever its end, unless it is given back. A key has half of it while another one calls.
 */
@Injectable()
export class FreeVariantsGate {
  constructor(
    private readonly counts: LimitCounts,
    @InjectThrottlerStorage() private readonly calls: FloodStorage,
  ) {}

  /** Whether the caller's key has half of the free requests, not all: the flood guard has just counted its request. */
  hasContention(caller: Caller): boolean {
    return this.calls.hasContention(caller);
  }

  /** Counts one request. @throws GatewayError `rate-limited` */
  async enter(caller: Caller): Promise<FreeRequestCount> {
    const { accountId, keyHash } = caller;
    const share = this.hasContention(caller) ? shareOf(PER_MINUTE) : PER_MINUTE;
    const claimed = await this.counts.claim({
      // Distinct from models, whose ids contain a slash.
      subject: `${accountId}:free`,
      // Counted as one token of twenty, because unused tokens can be given back.
      limits: { tokensPerMinute: PER_MINUTE },
      owner: '',
      tokens: 1,
      part: { id: keyHash, tokensPerMinute: share },
    });
    if ('slot' in claimed) return { giveBack: () => claimed.slot.release(0) };
    const { limit, resetAtMs } = claimed.refusal;
    const isOwn = limit === 'part';
    throw rateLimitError(`Rate limit exceeded: free-models-per-min${isOwn ? HALVED : ''}`, {
      limit: isOwn ? share : PER_MINUTE,
      resetAtMs,
      source: 'openrouter_free_tier_per_minute',
    });
  }
}

/**
 * The error of a caller whose free requests of the day are used up (docs/use/errors.md#free-variants).
 * @param limit requests a day that the hold was refused by: those of the account, or the share of its key
 * @param isShare it is the key's share
 * @param resetAtMs the next 00:00 UTC, epoch milliseconds
 */
export function freeDayError({
  limit,
  isShare,
  resetAtMs,
}: {
  readonly limit: number;
  readonly isShare: boolean;
  readonly resetAtMs: number;
}): GatewayError {
  const isHigh = limit >= (isShare ? shareOf(HIGHER_FREE_REQUESTS_A_DAY) : HIGHER_FREE_REQUESTS_A_DAY);
  const tier = isHigh ? 'free-models-per-day-high-balance' : 'free-models-per-day';
  const hint = isShare ? HALVED : isHigh ? '' : MORE_A_DAY;
  return rateLimitError(`Rate limit exceeded: ${tier}${hint}`, { limit, resetAtMs, source: DAILY });
}
