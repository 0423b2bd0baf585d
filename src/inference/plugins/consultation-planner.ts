import { Injectable } from '@nestjs/common';
import type { CancelSignal } from '../../core/cancellation.js';
import type { Caller } from '../../core/caller.js';
import { GatewayError } from '../../core/errors.js';
import type { PlannedConsultation, RequiredCalls } from '../../core/plugin.js';
import { FurtherCalls, type PricedRun } from '../further-calls.js';
import { RequestPlanner } from '../request-planner.js';

/** The caller and request that a call would be made for. */
export interface Consulting {
  readonly caller: Caller;
  readonly signal: CancelSignal;
}

/** The models that plugins will consult, before anything is bought for them. */
@Injectable()
export class ConsultationPlanner {
  constructor(
    private readonly planner: RequestPlanner,
    private readonly calls: FurtherCalls,
  ) {}

  /**
   * @param tokens that each of them reads beside its request
   * @returns sets of calls of which one is sufficient, the cheapest first; empty: none is required
   */
  async planRuns(
    { calls, isAnyOf = false }: RequiredCalls,
    consulting: Consulting,
    tokens = 0,
  ): Promise<readonly (readonly PricedRun[])[]> {
    const runs: PricedRun[] = [];
    for (const call of calls) {
      const run = await this.planRun(call, consulting, tokens);
      if (run) runs.push(run);
    }
    if (runs.length === 0) return NONE;
    return isAnyOf ? runs.toSorted(byCost).map((run) => [run]) : [runs];
  }

  /** @returns undefined where none of its requests can be planned: the call fails before anything is reserved for it */
  private async planRun(
    { requests }: PlannedConsultation,
    { caller, signal }: Consulting,
    tokens: number,
  ): Promise<PricedRun | undefined> {
    for (const request of requests) {
      try {
        const planned = await this.planner.plan(request, caller, signal, { isConsulted: true });
        const { plan } = planned.routed;
        if (planned.refusal || plan.legs.length === 0) continue;
        return await this.calls.planRun(plan, planned.request, tokens);
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
      }
    }
    return undefined;
  }
}

const NONE: readonly never[] = [];

const byCost = ({ bound: one }: PricedRun, { bound: other }: PricedRun): number =>
  Number(one.credits - other.credits || one.byok - other.byok);
