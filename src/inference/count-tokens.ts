import { Injectable } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { type CancelSignal, toAbortSignal } from '../core/cancellation.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { ProviderFault, Untranslatable } from '../core/errors.js';
import type { AppliedEdit } from '../core/conversation/clear-context.js';
import type { CountedPrompt } from '../core/provider.js';
import type { Leg } from '../core/routing/plan.js';
import { AttemptRunner } from '../routing/attempt-runner.js';
import type { FittedRequest } from '../routing/plan-runner.js';
import type { RouteResult } from '../routing/route-planner.js';
import { estimateInSlices } from './estimate-in-slices.js';
import { RequestPlanner } from './request-planner.js';

/** Milliseconds to wait for a provider's own count: an early estimate is worth more than a late exact number. */
export const NATIVE_COUNT_MS_MAX = 5_000;

/** The number of tokens of a prompt as it would be sent. */
export interface TokenCount extends CountedPrompt {
  /** `native`: reported by the provider that would be called first. */
  readonly source: 'native' | 'estimate';
}

/**
 * Counts a prompt as the provider that would answer it. Nothing is charged, held or stored, and no health is recorded.
 */
@Injectable()
export class CountTokens {
  constructor(
    private readonly planner: RequestPlanner,
    private readonly attempts: AttemptRunner,
  ) {}

  /**
   * The count of the provider that would be called first, where it has one and reports it in time; else an estimate.
   * @throws GatewayError as the request itself would be refused before routing, or the signal's reason
   */
  async run(original: ModelRequest, caller: Caller, signal: CancelSignal): Promise<TokenCount> {
    const { request: read, routed, refusal, fit } = await this.planner.plan(original, caller, signal);
    // A request that may not be sent to a provider may not be sent for a count either.
    if (refusal) throw refusal;
    const [leg] = routed.plan.legs;
    const { request, appliedEdits }: Omit<FittedRequest, 'stages'> =
      leg && fit ? await fit(read, leg) : { request: read };
    const native = leg && (await this.countNatively(leg, request, routed, signal));
    const counted = native ?? { inputTokens: await estimateInSlices(request) };
    return {
      ...counted,
      ...(appliedEdits && { originalInputTokens: counted.inputTokens + clearedTokens(appliedEdits) }),
      source: native === undefined ? 'estimate' : 'native',
    };
  }

  private async countNatively(
    leg: Leg,
    request: ModelRequest,
    { reveal }: RouteResult,
    signal: CancelSignal,
  ): Promise<CountedPrompt | undefined> {
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

const clearedTokens = (applied: readonly AppliedEdit[]): number =>
  applied.reduce((sum, { cleared_input_tokens: tokens }) => sum + tokens, 0);
