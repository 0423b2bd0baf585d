import { Injectable } from '@nestjs/common';
import type { Caller, RateLimits } from '../core/caller.js';
import type { GatewayError } from '../core/errors.js';
import { pluralize } from '../core/text/pluralize.js';
import { LimitCounts, type LimitRefusal } from './limit-counts.js';
import { UNLIMITED, type LimitSlot } from './limit-slot.js';
import { rateLimitError } from './rate-limit-error.js';

/** The name of each limit for programs, and the message for callers. */
const REFUSALS: Readonly<
  Record<keyof RateLimits, { readonly name: string; readonly message: (limit: number) => string }>
> = {
  requestsPerMinute: {
    name: 'requests_per_minute',
    message: (limit) =>
      `Rate limit exceeded: this key may make ${pluralize(limit, 'request')} a minute; wait for the next minute.`,
  },
  tokensPerMinute: {
    name: 'tokens_per_minute',
    message: (limit) =>
      `Rate limit exceeded: this key may use ${pluralize(limit, 'token')} a minute, prompt and most output together; ` +
      'wait for the next minute, or lower the limit of the output.',
  },
};

/** A caller whose key has limits. */
export type LimitedCaller = Caller & Required<Pick<Caller, 'rateLimits'>>;

export const isLimitedCaller = (caller: Caller): caller is LimitedCaller => caller.rateLimits !== undefined;

/**
 * The limits of a key itself (docs/use/limits.md#limits-of-keys), counted like those of models: a request counts at
 * admission, whatever its end, and whichever credential serves it. Replicas that share a Redis share a limit.
 */
@Injectable()
export class KeyGate {
  constructor(private readonly counts: LimitCounts) {}

  /**
   * Admits a request of the key.
   * @param owner id of the generation
   * @param tokens reserved: prompt and most output. More than the whole limit counts as the whole limit
   * @returns to be released with the tokens that were used
   * @throws GatewayError `rate-limited`, naming the limit, with its `X-RateLimit-*`
   */
  enter(caller: LimitedCaller, owner: string, tokens: number): Promise<LimitSlot> {
    return this.claim(caller, caller.rateLimits, owner, tokens, false);
  }

  /** Enters a further call of a model in an admitted request: only its tokens count. */
  enterFurther(caller: LimitedCaller, owner: string, tokens: number): Promise<LimitSlot> {
    const { tokensPerMinute } = caller.rateLimits;
    if (tokensPerMinute === undefined) return UNLIMITED;
    return this.claim(caller, { tokensPerMinute }, owner, tokens, true);
  }

  private async claim(
    { accountId, keyHash }: LimitedCaller,
    limits: RateLimits,
    owner: string,
    tokens: number,
    isFurther: boolean,
  ): Promise<LimitSlot> {
    // Distinct from models, whose ids contain a slash.
    const claimed = await this.counts.claim({
      subject: `${accountId}:key:${keyHash}`,
      limits,
      owner,
      tokens,
      isFurther,
    });
    if ('slot' in claimed) return claimed.slot;
    throw refusalError(limits, claimed.refusal);
  }
}

function refusalError(limits: RateLimits, { limit: reachedLimit, ...reached }: LimitRefusal): GatewayError {
  if (reachedLimit === 'part' || reachedLimit === 'concurrency')
    throw new TypeError('Keys have limits of requests and tokens alone.');
  const limit = limits[reachedLimit] ?? 0;
  const { name, message } = REFUSALS[reachedLimit];
  return rateLimitError(message(limit), { ...reached, limit, source: 'key_rate_limit', name });
}
