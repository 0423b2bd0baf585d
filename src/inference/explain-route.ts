import { Injectable } from '@nestjs/common';
import type { CancelSignal } from '../core/cancellation.js';
import type { Caller } from '../core/caller.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { isRunByCaller } from '../core/conversation/tools.js';
import type { ConsultationKind } from '../core/conversation/usage.js';
import { GatewayError, type Untranslatable } from '../core/errors.js';
import type { PicoUsd } from '../core/money/credits.js';
import type { ForeseenCall } from '../core/plugin.js';
import { noRouteError } from '../core/routing/no-route-error.js';
import type { Leg, PlannedLeg } from '../core/routing/plan.js';
import { Clock } from '../core/time.js';
import { yieldToEventLoop } from '../core/yield-to-event-loop.js';
import { AttemptRunner } from '../routing/attempt-runner.js';
import type { FittedRequest } from '../routing/plan-runner.js';
import type { RouteResult } from '../routing/route-planner.js';
import { Admission, type LegForecast } from './admission.js';
import type { PluginStanding } from './plugins/active-plugins.js';
import { RequestPlanner, type PlannedRequest, type PlanningOptions } from './request-planner.js';
import { isOnlySandbox } from './tools/only-sandbox.js';
import type { ToolOffer } from './tools/offered-tools.js';

/** A plan with what it may cost. */
export interface ForecastPlan extends RouteResult {
  readonly forecast: ReadonlyMap<Leg, LegForecast>;
  /** The legs whose dialect has no form for something in the request: they would be passed over. */
  readonly refusals: ReadonlyMap<Leg, Untranslatable>;
  /** Names of what each leg would not be sent. */
  readonly dropped: ReadonlyMap<Leg, readonly string[]>;
  /** All of the request but functions of the caller's, in its order. */
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
  readonly tools: readonly ForecastTool[];
  readonly toolUsesMax: number;
}

export interface ForecastTool extends ToolOffer {
  /** Who runs it where the vendor of a leg does not; absent: nobody does, at any of the legs. */
  readonly runsAt?: 'gateway' | 'caller' | 'vendor';
  /** The legs that have it of their vendors, as it came. */
  readonly nativeAt: readonly Leg[];
  /** Absent: this gateway asks no model for it. */
  readonly consulted?: ToolModel;
}

/** The model that a tool asks. */
export interface ToolModel {
  /** Its id; as it was asked for where it was not found. */
  readonly model: string;
  /** The cheapest way to it, at the length of what it would be shown; absent: nobody would be asked. */
  readonly cheapest?: Leg;
  readonly promptTokensMin: number;
  /** Why nobody would be asked. */
  readonly refusal?: string;
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
    const { request, routed, budgets, fit, plugins } = planned;
    const forecast = await this.admission.forecast(routed.plan, { request, caller, guardrails: budgets });
    const { legs } = routed.plan;
    const { refusals, dropped } = await this.tryLegs(legs, (leg) => fit?.(request, leg) ?? { request });
    const tools = await this.foreseeModels(planned, this.whoRuns(planned), caller, signal);
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
        const planned = await this.planConsulted(asked, caller, signal);
        const { request, routed, budgets } = planned;
        const forecast = await this.admission.forecast(routed.plan, { request, caller, guardrails: budgets });
        const bounds = [...forecast.values()].map(({ bound }) => bound.credits);
        const bound = bounds.reduce((most, one) => (one > most ? one : most));
        return { ...shown, tools: this.whoRuns(planned), ...(isWhole && { bound }) };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        refusal = error.message;
      }
    }
    return { ...shown, tools: [], refusal };
  }

  /** @throws GatewayError why nobody would be asked; the plan has legs */
  private async planConsulted(
    asked: ModelRequest,
    caller: Caller,
    signal: CancelSignal,
    options: PlanningOptions = {},
  ): Promise<PlannedRequest> {
    const planned = await this.planner.plan(asked, caller, signal, { ...options, isConsulted: true });
    if (planned.refusal) throw planned.refusal;
    const { plan } = planned.routed;
    if (plan.legs.length === 0) throw noRouteError(plan, this.clock.now());
    return planned;
  }

  private whoRuns({ request, offers, routed }: PlannedRequest): readonly ForecastTool[] {
    if (offers.length === 0) return [];
    const { legs } = routed.plan;
    const ofLegs = legs.map((leg) => this.attempts.toolRuns(leg, request.tools));
    return offers.map((offer) => {
      const runs = ofLegs.map((ofLeg) => ofLeg[offer.place]);
      const nativeAt = legs.filter((_, index) => runs[index] === true);
      const isTaken = nativeAt.length > 0 || runs.includes('unsaid');
      const runsAt = offer.offer?.runsAt ?? (isTaken ? vendorOrCaller(offer) : undefined);
      return { ...offer, ...(runsAt && { runsAt }), nativeAt };
    });
  }

  /** Many tools may ask one model: it is planned once for each way to ask it. */
  private async foreseeModels(
    { request, routed }: PlannedRequest,
    tools: readonly ForecastTool[],
    caller: Caller,
    signal: CancelSignal,
  ): Promise<readonly ForecastTool[]> {
    const known = new Map<string, ToolModel>();
    const told: ForecastTool[] = [];
    for (const tool of tools) {
      const asked = tool.offer?.runsAt === 'gateway' ? tool.offer.consults?.(request) : undefined;
      if (!asked) {
        told.push(tool);
        continue;
      }
      const { model, modalities = [], system, messages, maxOutputTokens } = asked;
      const shown = [system.map(({ text }) => text.length), messages.flatMap(({ content }) => content).length];
      const key = JSON.stringify([model, modalities, shown, maxOutputTokens]);
      let consulted = known.get(key);
      if (!consulted) {
        consulted = await this.foreseeModel(asked, caller, signal, routed.plan.seed);
        known.set(key, consulted);
        await yieldToEventLoop();
      }
      told.push({ ...tool, consulted });
    }
    return told;
  }

  /** @param seed of the request's own plan: the same one tells the same */
  private async foreseeModel(
    asked: ModelRequest,
    caller: Caller,
    signal: CancelSignal,
    seed: string,
  ): Promise<ToolModel> {
    try {
      const { plan, inputs } = (await this.planConsulted(asked, caller, signal, { seed })).routed;
      const { model } = plan.legs[0]!;
      const { promptTokensMin } = inputs.needs;
      return { model: model.id, cheapest: cheapestOf(plan.legs, model.id), promptTokensMin };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { model: asked.model, promptTokensMin: 0, refusal: error.message };
    }
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

/** A tool that goes to vendors as it came, and to nobody else. */
const vendorOrCaller = ({ tool }: ToolOffer): 'vendor' | 'caller' =>
  tool.type === 'vendor' && isRunByCaller(tool) ? 'caller' : 'vendor';

/** Of one model; of equals the first that would be tried. */
function cheapestOf(legs: readonly PlannedLeg[], model: string): PlannedLeg {
  const own = legs.filter((leg) => leg.model.id === model);
  return own.reduce((least, leg) => (leg.price < least.price ? leg : least));
}
