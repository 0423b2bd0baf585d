import { Injectable } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { type CancelSignal, toAbortSignal } from '../core/cancellation.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { readableBy } from '../core/conversation/documents.js';
import { ProviderFault, Untranslatable } from '../core/errors.js';
import { AttemptRunner } from '../routing/attempt-runner.js';
import type { RouteResult } from '../routing/route-planner.js';
import { estimateInTurns } from './estimate-in-turns.js';
import { RequestPlanner } from './request-planner.js';

/**
 * How long a provider's own count is waited for, milliseconds: an estimate now is worth more
 * than an exact number later.
 */
export const NATIVE_COUNT_MS_MAX = 5_000;

/** How many tokens a prompt has. */
export interface TokenCount {
  readonly inputTokens: number;
  /** `native`: the provider that would be asked first says so. */
  readonly source: 'native' | 'estimate';
}

/** Counts a prompt for whoever would answer it. Nothing is charged, held or kept, and no health is told of it. */
@Injectable()
export class CountTokens {
  constructor(
    private readonly planner: RequestPlanner,
    private readonly attempts: AttemptRunner,
  ) {}

  /**
   * The count of the provider that would be asked first, where it has one and says it in time; else an estimate.
   * @throws GatewayError as the request itself would be refused before routing, or the signal's reason
   */
  async run(asked: ModelRequest, caller: Caller, signal: CancelSignal): Promise<TokenCount> {
    const { request: planned, routed, refusal } = await this.planner.plan(asked, caller, signal);
    // What may not be sent to a provider may not be sent to be counted either.
    if (refusal) throw refusal;
    const [first] = routed.plan.legs;
    const request = first ? readableBy(planned, first.model.inputModalities) : planned;
    const native = await this.countNatively(request, routed, signal);
    return native === undefined
      ? { inputTokens: await estimateInTurns(request), source: 'estimate' }
      : { inputTokens: native, source: 'native' };
  }

  private async countNatively(
    request: ModelRequest,
    { plan, reveal }: RouteResult,
    signal: CancelSignal,
  ): Promise<number | undefined> {
    const [leg] = plan.legs;
    if (!leg) return undefined;
    const timeout = AbortSignal.timeout(NATIVE_COUNT_MS_MAX);
    try {
      return await this.attempts.count(leg, request, reveal, AbortSignal.any([toAbortSignal(signal), timeout]));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const isBearable = timeout.aborted || error instanceof ProviderFault || error instanceof Untranslatable;
      if (!isBearable) throw error;
      return undefined;
    }
  }
}
