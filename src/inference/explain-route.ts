import { Injectable } from '@nestjs/common';
import type { CancelSignal } from '../core/cancellation.js';
import type { Caller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { isRunByCaller } from '../core/conversation/tools.js';
import type { ConsultationKind } from '../core/conversation/usage.js';
import { GatewayError, type Untranslatable } from '../core/errors.js';
import type { PicoUsd } from '../core/money/credits.js';
import type { PlannedConsultation } from '../core/plugin.js';
import { noRouteError } from '../core/routing/no-route-error.js';
import type { Leg, PlannedLeg } from '../core/routing/plan.js';
import { Clock } from '../core/time.js';
import { yieldToEventLoop } from '../core/yield-to-event-loop.js';
import { AttemptRunner } from '../routing/attempt-runner.js';
import type { FittedRequest } from '../routing/plan-runner.js';
import type { RouteResult } from '../routing/route-planner.js';
import { Admission, type LegForecast } from './billing/admission.js';
import type { PluginState } from './plugins/active-plugins.js';
import { RequestPlanner, type PlannedRequest, type PlanningOptions } from './request-planner.js';
import type { BudgetLeft } from '../ledger/budgets-left.js';
import { isOnlySandbox } from './tools/only-sandbox.js';
import type { ToolOffer } from './tools/offered-tools.js';

/** A plan with what it may cost. */
export interface ForecastPlan extends RouteResult {
  readonly forecast: ReadonlyMap<Leg, LegForecast>;
  /** The remaining amounts of the budgets of users, members and tags. */
  readonly budgetsLeft: readonly BudgetLeft[];
  /** The legs that cannot express something in the request, with the reason: the request would skip them. */
  readonly refusals: ReadonlyMap<Leg, Untranslatable>;
  /** Names of the fields that each leg would not receive. */
  readonly dropped: ReadonlyMap<Leg, readonly string[]>;
  /** The tools of the request except the caller's functions, in request order. */
  readonly tools: readonly ForecastTool[];
  /** The plugins that a default, the request or the model name refers to. */
  readonly plugins: readonly PluginState[];
  /** Models that would be called before the one that answers, in their order. */
  readonly consulted: readonly ForecastCall[];
}

/** A model that the gateway itself calls to serve a request. */
export interface ForecastCall {
  readonly kind: ConsultationKind;
  readonly model: string;
  /**
   * The highest possible cost of its first call, at its most expensive leg; absent: unknown, or no model would be
   * called.
   */
  readonly bound?: PicoUsd;
  /** Why no model would be called. */
  readonly refusal?: string;
  readonly tools: readonly ForecastTool[];
  readonly toolUsesMax: number;
}

export interface ForecastTool extends ToolOffer {
  /** The party that runs the tool if the vendor of a leg does not; absent: it is not run at any leg. */
  readonly runsAt?: 'gateway' | 'caller' | 'vendor';
  /** The legs whose vendors run the tool under its own type. */
  readonly nativeAt: readonly Leg[];
  /** Absent: the gateway calls no model for this tool. */
  readonly consulted?: ToolModel;
}

/** The model that a tool calls. */
export interface ToolModel {
  /** Id of the model, or the requested name if it was not found. */
  readonly model: string;
  /** The cheapest leg for the length of the prompt; absent: no model would be called. */
  readonly cheapest?: Leg;
  readonly promptTokensMin: number;
  /** Why no model would be called. */
  readonly refusal?: string;
}

/** Plans a request as it would be served at this moment. Nothing is called, charged or stored. */
@Injectable()
export class ExplainRoute {
  constructor(
    private readonly planner: RequestPlanner,
    private readonly admission: Admission,
    private readonly attempts: AttemptRunner,
    private readonly clock: Clock,
  ) {}

  /**
   * @param seed repeats the same draw
   * @throws GatewayError as the request itself would be refused before routing; a plan without legs is returned
   */
  async explain(stated: ModelRequest, caller: Caller, signal: CancelSignal, seed?: string): Promise<ForecastPlan> {
    const planned = await this.planner.plan(stated, caller, signal, { seed });
    const { request, routed, budgets, subjects, fit, plugins } = planned;
    const payer = { request, caller, guardrails: budgets, subjects };
    const forecast = await this.admission.forecast(routed.plan, payer);
    const budgetsLeft = await this.admission.listBudgets(payer);
    const { legs } = routed.plan;
    const { refusals, dropped } = await this.tryLegs(legs, (leg) => fit?.(request, leg) ?? { request });
    const tools = await this.planToolConsultations(planned, this.toolRunners(planned), caller, signal);
    const planningContext = { catalog: routed.inputs.catalog, isSandbox: isOnlySandbox(routed.plan) };
    const consulted: ForecastCall[] = [];
    for (const call of await plugins.planConsultations(request, planningContext))
      consulted.push(await this.forecastConsultation(call, caller, signal));
    return { ...routed, forecast, budgetsLeft, refusals, dropped, tools, plugins: plugins.states, consulted };
  }

  private async forecastConsultation(
    call: PlannedConsultation,
    caller: Caller,
    signal: CancelSignal,
  ): Promise<ForecastCall> {
    const { kind, requests, toolUsesMax, isWhole } = call;
    const shown = { kind, model: requests[0]!.model, toolUsesMax };
    let refusal = '';
    for (const consultation of requests) {
      try {
        const planned = await this.planConsulted(consultation, caller, signal);
        const { request, routed, budgets, subjects } = planned;
        const payer = { request, caller, guardrails: budgets, subjects };
        const forecast = await this.admission.forecast(routed.plan, payer);
        const bounds = [...forecast.values()].map(({ bound }) => bound.credits);
        const bound = bounds.reduce((most, next) => (next > most ? next : most));
        return { ...shown, tools: this.toolRunners(planned), ...(isWhole && { bound }) };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        refusal = error.message;
      }
    }
    return { ...shown, tools: [], refusal };
  }

  /** @returns a plan that has legs. @throws GatewayError why no model would be called */
  private async planConsulted(
    stated: ModelRequest,
    caller: Caller,
    signal: CancelSignal,
    options: PlanningOptions = {},
  ): Promise<PlannedRequest> {
    const planned = await this.planner.plan(stated, caller, signal, { ...options, isConsulted: true });
    if (planned.refusal) throw planned.refusal;
    const { plan } = planned.routed;
    if (plan.legs.length === 0) throw noRouteError(plan, this.clock.now());
    return planned;
  }

  private toolRunners({ request, offers, routed }: PlannedRequest): readonly ForecastTool[] {
    if (offers.length === 0) return [];
    const { legs } = routed.plan;
    const ofLegs = legs.map((leg) => this.attempts.toolRuns(leg, request.tools));
    return offers.map((offer) => {
      const runs = ofLegs.map((ofLeg) => ofLeg[offer.toolIndex]);
      const nativeAt = legs.filter((_, index) => runs[index] === true);
      const isTaken = nativeAt.length > 0 || runs.includes('unpriced');
      const runsAt = offer.offer?.runsAt ?? (isTaken ? vendorOrCaller(offer) : undefined);
      return { ...offer, ...(runsAt && { runsAt }), nativeAt };
    });
  }

  /** Several tools may call the same model: each distinct call is planned once. */
  private async planToolConsultations(
    { request, routed }: PlannedRequest,
    tools: readonly ForecastTool[],
    caller: Caller,
    signal: CancelSignal,
  ): Promise<readonly ForecastTool[]> {
    const known = new Map<string, ToolModel>();
    const consultedTools: ForecastTool[] = [];
    for (const tool of tools) {
      const query = tool.offer?.runsAt === 'gateway' ? tool.offer.consults?.(request) : undefined;
      if (!query) {
        consultedTools.push(tool);
        continue;
      }
      const { model, modalities = [], system, messages, maxOutputTokens } = query;
      const shown = [system.map(({ text }) => text.length), messages.flatMap(({ content }) => content).length];
      const key = JSON.stringify([model, modalities, shown, maxOutputTokens]);
      let consulted = known.get(key);
      if (!consulted) {
        consulted = await this.planToolConsultation(query, caller, signal, routed.plan.seed);
        known.set(key, consulted);
        await yieldToEventLoop();
      }
      consultedTools.push({ ...tool, consulted });
    }
    return consultedTools;
  }

  /** @param seed that of the request's own plan, so that the result is reproducible */
  private async planToolConsultation(
    stated: ModelRequest,
    caller: Caller,
    signal: CancelSignal,
    seed: string,
  ): Promise<ToolModel> {
    try {
      const { plan, inputs } = (await this.planConsulted(stated, caller, signal, { seed })).routed;
      const { model } = plan.legs[0]!;
      const { promptTokensMin } = inputs.needs;
      return { model: model.id, cheapest: cheapestOf(plan.legs, model.id), promptTokensMin };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { model: stated.model, promptTokensMin: 0, refusal: error.message };
    }
  }

  /** Encoding a large request for each leg takes long: yields to the event loop after each. */
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

/** For a tool that only its vendor or the caller can run. */
const vendorOrCaller = ({ tool }: ToolOffer): 'vendor' | 'caller' =>
  tool.type === 'vendor' && isRunByCaller(tool) ? 'caller' : 'vendor';

/** The cheapest leg of one model; of equal prices the first in the plan. */
function cheapestOf(legs: readonly PlannedLeg[], model: string): PlannedLeg {
  const own = legs.filter((leg) => leg.model.id === model);
  return own.reduce((least, leg) => (leg.price < least.price ? leg : least));
}
