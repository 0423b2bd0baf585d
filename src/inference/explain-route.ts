import { Injectable } from '@nestjs/common';
import type { CancelSignal } from '../core/cancellation.js';
import type { Caller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { ConsultationKind } from '../core/conversation/usage.js';
import { GatewayError, type Untranslatable } from '../core/errors.js';
import type { PicoUsd } from '../core/money/credits.js';
import type { ForeseenCall } from '../core/plugin.js';
import { noRouteError } from '../core/routing/no-route-error.js';
import type { Leg } from '../core/routing/plan.js';
import { Clock } from '../core/time.js';
import { yieldToEventLoop } from '../core/yield-to-event-loop.js';
import { AttemptRunner } from '../routing/attempt-runner.js';
import type { FittedRequest } from '../routing/plan-runner.js';
import type { RouteResult } from '../routing/route-planner.js';
import { Admission, type LegForecast } from './admission.js';
import type { PluginStanding } from './plugins/active-plugins.js';
import { RequestPlanner } from './request-planner.js';
import { isOnlySandbox } from './tools/only-sandbox.js';
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
  /** Models that would be asked before the one that answers, in their order. */
  readonly consulted: readonly ForecastCall[];
}

/** A model that is asked on the way. */
export interface ForecastCall {
  readonly kind: ConsultationKind;
  readonly model: string;
  /** The most that its first call costs, by its dearest leg; absent: it is not known, or nobody would be asked. */
  readonly bound?: PicoUsd;
  /** Why nobody would be asked. */
  readonly refusal?: string;
  readonly tools: readonly ToolOffer[];
  readonly toolUsesMax: number;
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
    private readonly clock: Clock,
  ) {}

  /**
   * @param seed gives the same draw again
   * @throws GatewayError as the request itself would be refused before routing; a plan without legs is an answer
   */
  async explain(asked: ModelRequest, caller: Caller, signal: CancelSignal, seed?: string): Promise<ForecastPlan> {
    const planned = await this.planner.plan(asked, caller, signal, { seed });
    const { request, routed, budgets, offers, fit, plugins } = planned;
    const forecast = await this.admission.forecast(routed.plan, { request, caller, guardrails: budgets });
    const { legs } = routed.plan;
    const { refusals, dropped } = await this.tryLegs(legs, (leg) => fit?.(request, leg) ?? { request });
    const tools = offers.map((offer) => ({
      ...offer,
      nativeAt: legs.filter((leg) => this.attempts.runsTool(leg, offer.tool) === true),
    }));
    const foresight = { catalog: routed.inputs.catalog, isSandbox: isOnlySandbox(routed.plan) };
    const consulted: ForecastCall[] = [];
    for (const call of await plugins.foresee(request, foresight))
      consulted.push(await this.foresee(call, caller, signal));
    return { ...routed, forecast, refusals, dropped, tools, plugins: plugins.standings, consulted };
  }

  private async foresee(call: ForeseenCall, caller: Caller, signal: CancelSignal): Promise<ForecastCall> {
    const { kind, requests, toolUsesMax, isWhole } = call;
    const shown = { kind, model: requests[0]!.model, toolUsesMax };
    let refusal = '';
    for (const asked of requests) {
      try {
        const {
          request,
          routed,
          budgets,
          offers,
          refusal: refused,
        } = await this.planner.plan(asked, caller, signal, {
          isConsulted: true,
        });
        if (refused) throw refused;
        const forecast = await this.admission.forecast(routed.plan, { request, caller, guardrails: budgets });
        const bounds = [...forecast.values()].map(({ bound }) => bound.credits);
        if (bounds.length === 0) throw noRouteError(routed.plan, this.clock.now());
        const bound = bounds.reduce((most, one) => (one > most ? one : most));
        return { ...shown, tools: offers, ...(isWhole && { bound }) };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        refusal = error.message;
      }
    }
    return { ...shown, tools: [], refusal };
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
