import { Injectable } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { Leg } from '../core/routing/plan.js';
import { ActiveGuardrails } from '../guardrails/active-guardrails.js';
import { RoutePlanner, type RoutedPlan } from '../routing/route-planner.js';
import { Admission, type LegForecast } from './admission.js';

/** A plan with what it may cost. */
export interface ExplainedPlan extends RoutedPlan {
  readonly forecast: ReadonlyMap<Leg, LegForecast>;
}

/** The plan that a request would be served by at this moment. Nothing is called, charged or kept. */
@Injectable()
export class ExplainRoute {
  constructor(
    private readonly guardrails: ActiveGuardrails,
    private readonly planner: RoutePlanner,
    private readonly admission: Admission,
  ) {}

  /**
   * @param seed gives the same draw again
   * @throws GatewayError as the request itself would be refused before routing; a plan without legs is an answer
   */
  async explain(request: ModelRequest, caller: Caller, seed?: string): Promise<ExplainedPlan> {
    const guardrails = await this.guardrails.of(caller);
    const routed = await this.planner.plan(request, caller, guardrails.policies, seed);
    const forecast = await this.admission.forecast(routed.plan, { request, caller, guardrails: guardrails.budgets });
    return { ...routed, forecast };
  }
}
