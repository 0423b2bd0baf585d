import { Injectable } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { Leg } from '../core/routing/plan.js';
import type { RouteResult } from '../routing/route-planner.js';
import { Admission, type LegForecast } from './admission.js';
import { RequestPlanner } from './request-planner.js';

/** A plan with what it may cost. */
export interface ForecastPlan extends RouteResult {
  readonly forecast: ReadonlyMap<Leg, LegForecast>;
}

/** The plan that a request would be served by at this moment. Nothing is called, charged or kept. */
@Injectable()
export class ExplainRoute {
  constructor(
    private readonly planner: RequestPlanner,
    private readonly admission: Admission,
  ) {}

  /**
   * @param seed gives the same draw again
   * @throws GatewayError as the request itself would be refused before routing; a plan without legs is an answer
   */
  async explain(request: ModelRequest, caller: Caller, seed?: string): Promise<ForecastPlan> {
    const { routed, budgets } = await this.planner.plan(request, caller, seed);
    const forecast = await this.admission.forecast(routed.plan, { request, caller, guardrails: budgets });
    return { ...routed, forecast };
  }
}
