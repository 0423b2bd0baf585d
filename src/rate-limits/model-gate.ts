import { Injectable } from '@nestjs/common';
import type { Model, ModelLimits } from '../core/routing/catalog.js';
import type { GatewayError } from '../core/errors.js';
import { pluralize } from '../core/text/pluralize.js';
import { LimitCounts, type LimitRefusal } from './limit-counts.js';
import { UNLIMITED, type LimitSlot } from './limit-slot.js';
import { rateLimitError } from './rate-limit-error.js';

/** The name of each limit for programs, and the message for callers. */
const REFUSALS: Readonly<
  Record<keyof ModelLimits, { readonly source: string; readonly message: (model: string, limit: number) => string }>
> = {
  requestsPerMinute: {
    source: 'model_requests_per_minute',
    message: (model, limit) =>
      `Rate limit exceeded: ${model} takes ${pluralize(limit, 'request')} a minute of an account; wait for the next minute.`,
  },
  tokensPerMinute: {
    source: 'model_tokens_per_minute',
    message: (model, limit) =>
      `Rate limit exceeded: ${model} takes ${pluralize(limit, 'token')} a minute of an account, prompt and most output together; ` +
      'wait for the next minute, or lower the limit of the output.',
  },
  concurrency: {
    source: 'model_concurrency',
    message: (model, limit) =>
      `Rate limit exceeded: ${model} answers ${pluralize(limit, 'request')} of an account at a time; wait until one has ended.`,
  },
};

/**
 * The limits of single models (docs/use/limits.md#limits-of-models), per account, from the catalog. A request counts
 * at admission, whatever its end. Replicas that share a Redis share a limit.
 */
@Injectable()
export class ModelGate {
  private calls = 0;

  constructor(private readonly counts: LimitCounts) {}

  /**
   * Admits one call to a model. The slot must be released when the call has ended, however it ended.
   * @param owner id of the generation; it may call a model several times, also at once
   * @param tokens reserved: prompt and most output. More than the whole limit counts as the whole limit
   * @throws GatewayError `rate-limited`, naming the limit, with its `X-RateLimit-*`; the reset of `concurrency` is a
   *   second away, since it is unknown when a slot becomes free
   */
  enter(accountId: string, model: Pick<Model, 'id' | 'limits'>, owner: string, tokens: number): Promise<LimitSlot> {
    const { id, limits } = model;
    return limits && isLimited(limits)
      ? this.enterLimited(`${accountId}:${id}`, id, limits, `${owner}:${this.calls++}`, tokens)
      : UNLIMITED;
  }

  private async enterLimited(
    subject: string,
    model: string,
    limits: ModelLimits,
    owner: string,
    tokens: number,
  ): Promise<LimitSlot> {
    const claimed = await this.counts.claim({ subject, limits, owner, tokens });
    if ('slot' in claimed) return claimed.slot;
    throw refusalError(model, limits, claimed.refusal);
  }
}

const isLimited = ({ requestsPerMinute, tokensPerMinute, concurrency }: ModelLimits): boolean =>
  requestsPerMinute !== undefined || tokensPerMinute !== undefined || concurrency !== undefined;

function refusalError(model: string, limits: ModelLimits, { limit: name, ...reached }: LimitRefusal): GatewayError {
  if (name === 'part') throw new TypeError('The limits of models are not shared by parts.');
  const limit = limits[name] ?? 0;
  const { source, message } = REFUSALS[name];
  return rateLimitError(message(model, limit), { ...reached, limit, source });
}
