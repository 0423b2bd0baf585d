import { Injectable } from '@nestjs/common';
import type { CancelSignal } from '../core/cancellation.js';
import type { Caller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { Untranslatable } from '../core/errors.js';
import type { Leg } from '../core/routing/plan.js';
import { yieldToEventLoop } from '../core/yield-to-event-loop.js';
import { AttemptRunner } from '../routing/attempt-runner.js';
import type { FittedRequest } from '../routing/plan-runner.js';
import type { RouteResult } from '../routing/route-planner.js';
import { Admission, type LegForecast } from './admission.js';
import type { PluginStanding } from './plugins/active-plugins.js';
import { RequestPlanner } from './request-planner.js';
import type { ToolOffer } from './tools/offered-tools.js';

/** A plan with what it may cost. */
export interface ForecastPlan extends RouteResult {
  readonly forecast: ReadonlyMap<Leg, LegForecast>;
  /** The legs whose dialect has no form for something in the request: they would be passed over. */
  readonly refusals: ReadonlyMap<Leg, Untranslatable>;
  /** Names of what each leg would not be sent. */
  readonly dropped: ReadonlyMap<Leg, readonly string[]>;
  /** Tools that this gateway knows to serve, with the legs whose vendors run them by themselves. */
  readonly tools: readonly ForecastTool[];
  /** The plugins that somebody spoke of. */
  readonly plugins: readonly PluginStanding[];
}

export interface ForecastTool extends ToolOffer {
  readonly nativeAt: readonly Leg[];
}

/** The plan that a request would be served by at this moment. Nothing is called, charged or kept. */
@Injectable()
export class ExplainRoute {
  constructor(
    private readonly planner: RequestPlanner,
    private readonly admission: Admission,
    private readonly attempts: AttemptRunner,
  ) {}

  /**
   * @param seed gives the same draw again
   * @throws GatewayError as the request itself would be refused before routing; a plan without legs is an answer
   */
  async explain(asked: ModelRequest, caller: Caller, signal: CancelSignal, seed?: string): Promise<ForecastPlan> {
    const planned = await this.planner.plan(asked, caller, signal, { seed });
    const { request, routed, budgets, offers, edit } = planned;
    const forecast = await this.admission.forecast(routed.plan, { request, caller, guardrails: budgets });
    const { legs } = routed.plan;
    const { refusals, dropped } = await this.tryLegs(legs, (leg) => edit?.(request, leg) ?? { request });
    const tools = offers.map((offer) => ({
      ...offer,
      nativeAt: legs.filter((leg) => this.attempts.runsTool(leg, offer.tool) === true),
    }));
    return { ...routed, forecast, refusals, dropped, tools, plugins: planned.plugins.standings };
  }

  /** A large request is encoded for each leg: others have their turn in between. */
  private async tryLegs(
    legs: readonly Leg[],
    fit: (leg: Leg) => Pick<FittedRequest, 'request'> | Promise<FittedRequest>,
  ): Promise<Pick<ForecastPlan, 'refusals' | 'dropped'>> {
    const refusals = new Map<Leg, Untranslatable>();
    const dropped = new Map<Leg, readonly string[]>();
    for (const leg of legs) {
      const { request } = await fit(leg);
      dropped.set(leg, this.attempts.droppedBy(leg, request));
      const refusal = await this.attempts.refusalOf(leg, request);
      if (refusal) refusals.set(leg, refusal);
      await yieldToEventLoop();
    }
    return { refusals, dropped };
  }
}
