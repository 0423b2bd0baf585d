import { Injectable } from '@nestjs/common';
import { RoutingPolicies, type CallerPolicies } from '../accounts/routing-policies.js';
import type { CancelSignal } from '../core/cancellation.js';
import type { Caller } from '../core/caller.js';
import { hasOnlyFunctions } from '../core/conversation/tools.js';
import { traitsOf } from '../core/conversation/traits.js';
import type { ParsedFile } from '../core/conversation/parsed-file.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { JsonObject } from '../core/json/json.js';
import { nameAdvisors } from '../core/routing/name-advisors.js';
import { outputTokensGiven } from '../core/routing/plan-route.js';
import { forbiddenModels } from '../core/routing/no-route-error.js';
import { mayRetain, type RoutingPolicy } from '../core/routing/route-inputs.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import { ActiveGuardrails, type GuardrailSet } from '../guardrails/active-guardrails.js';
import type { Inspection } from '../guardrails/inspector.js';
import type { FitRequest, RunInputs } from '../routing/plan-runner.js';
import { RoutePlanner, type RouteResult } from '../routing/route-planner.js';
import { ToolContexts } from '../tools/tool-contexts.js';
import type { Admitted } from './admission.js';
import { contextEditor, documentReader, fitInTurn } from './edit-context.js';
import { bindRequest } from './egress/bind-request.js';
import type { ActivePlugins, StagedRequest } from './plugins/active-plugins.js';
import { choiceStage } from './plugins/plugin-stages.js';
import { PluginSets } from './plugins/plugin-sets.js';
import { NO_OFFERS, NO_TOOLS, type OfferedTools, type ToolOffer } from './tools/offered-tools.js';
import { holdsToolTurns } from './tools/recall-turns.js';
import { ToolOffers } from './tools/tool-offers.js';

/** A request as its caller's guardrails let it go on, and where it would go. */
export interface PlannedRequest {
  /**
   * As it may be sent: what content filters redact is redacted, models that are consulted are found, and tools know
   * what they are held to.
   */
  readonly request: ModelRequest;
  readonly routed: RouteResult;
  /** What plugins did and content filters found, as entries of the routing metadata's `pipeline`. */
  readonly stages: readonly JsonObject[];
  /** Turned into words by plugins. */
  readonly files: readonly ParsedFile[];
  /** `scope_id`s of the budgets of guardrails that are to pay for it. */
  readonly budgets: readonly string[];
  /** Why it may not be sent to anybody, also where there are legs. */
  readonly refusal: Error | undefined;
  readonly plugins: ActivePlugins;
  /**
   * Has files as a leg reads them, and clears what its vendor would not by itself; undefined where there is nothing of
   * that. Plugins fit what it gives.
   */
  readonly fit: FitRequest | undefined;
  /** Tools that this gateway runs for it. */
  readonly offered: OfferedTools;
  /** Who runs those of its tools that this gateway knows to serve. */
  readonly offers: readonly ToolOffer[];
  /** The content filters in force, for what is added to it on the way. Undefined: there are none. */
  readonly inspect: ((added: ModelRequest) => Inspection | Promise<Inspection>) | undefined;
  /** Tools or plugins may go its way with it. */
  readonly mayBeExtended: boolean;
}

/** A request that was planned and admitted. */
export interface PlannedRun {
  readonly planned: PlannedRequest;
  readonly admitted: Admitted;
  readonly signal: CancelSignal;
}

/** How a request is planned, beside what it says. */
export interface PlanningOptions {
  /** Gives the same draw again. */
  readonly seed?: string | undefined;
  /** It is the gateway's own, on the way to an answer: where nobody gives as many tokens, it asks for fewer. */
  readonly isConsulted?: boolean;
}

/** A request on the way to its plan, and what is in force for its caller. */
interface Planning {
  readonly asked: ModelRequest;
  readonly caller: Caller;
  readonly signal: CancelSignal;
  readonly options: PlanningOptions;
  readonly policies: CallerPolicies;
  readonly guardrails: GuardrailSet;
  readonly plugins: ActivePlugins;
}

/** A request as guardrails and egress leave it. */
interface Inspected {
  readonly request: ModelRequest;
  readonly stages: readonly JsonObject[];
  readonly refusal: Error | undefined;
}

/**
 * The one way from a request to its plan, whatever the plan is for: a generation, a count of tokens, an explanation.
 * Nothing is called, held or kept.
 */
@Injectable()
export class RequestPlanner {
  constructor(
    private readonly guardrails: ActiveGuardrails,
    private readonly planner: RoutePlanner,
    private readonly policies: RoutingPolicies,
    private readonly plugins: PluginSets,
    private readonly tools: ToolOffers,
    private readonly contexts: ToolContexts,
    private readonly catalog: CatalogStore,
  ) {}

  /**
   * At once where nothing has to be waited for.
   * @param signal ends the reading of a long text; its reason is thrown
   * @throws GatewayError as `PluginSets.of`, `RoutePlanner.plan` and `nameAdvisors`; what guardrails and egress refuse
   *   is told in the plan, for its reader may want to know who would have been called
   */
  plan(
    asked: ModelRequest,
    caller: Caller,
    signal: CancelSignal,
    options: PlanningOptions = AS_ASKED,
  ): PlannedRequest | Promise<PlannedRequest> {
    const policies = this.policies.of(caller);
    const guardrails = this.guardrails.of(caller);
    if (policies instanceof Promise || guardrails instanceof Promise)
      return this.planWhenKnown(asked, caller, signal, options, Promise.all([policies, guardrails]));
    const plugins = this.plugins.of(asked, policies.plugins, options.isConsulted);
    return this.route({ asked, caller, signal, options, policies, guardrails, plugins });
  }

  private async planWhenKnown(
    asked: ModelRequest,
    caller: Caller,
    signal: CancelSignal,
    options: PlanningOptions,
    known: Promise<[CallerPolicies, GuardrailSet]>,
  ): Promise<PlannedRequest> {
    const [policies, guardrails] = await known;
    const plugins = this.plugins.of(asked, policies.plugins, options.isConsulted);
    return this.route({ asked, caller, signal, options, policies, guardrails, plugins });
  }

  /** The request as it is to be planned. @param recalls it holds what tools of the gateway's did in earlier turns */
  private async prepare(
    { asked, caller, signal, policies, guardrails, plugins }: Planning,
    recalls: boolean,
  ): Promise<StagedRequest> {
    const recalled = recalls ? await this.tools.recall(asked, caller) : asked;
    const retains = plugins.isPreparing && mayRetain(joined(policies.routing, guardrails.policies));
    return plugins.prepare(recalled, () => this.contexts.local(caller, signal, this.catalog.current, retains));
  }

  /** @param prepared absent: the request as it came */
  private route(planning: Planning, prepared?: StagedRequest): PlannedRequest | Promise<PlannedRequest> {
    const { asked, caller, policies, guardrails, plugins, options } = planning;
    if (!prepared) {
      const { hasOpaque, hasReasoning } = traitsOf(asked.messages);
      const recalls = (hasOpaque || hasReasoning) && holdsToolTurns(asked.messages);
      if (recalls || plugins.changesRequest)
        return this.prepare(planning, recalls).then(async (changed) =>
          // Preparing may take long, and what was forbidden meanwhile is not to be called.
          this.route({ ...planning, policies: await this.policies.of(caller) }, changed),
        );
    }
    const staged = prepared ?? { request: asked, stages: NONE, files: NONE };
    const { request } = staged;
    const choose = plugins.hasRouter ? plugins.chooser(request) : undefined;
    const allowing =
      guardrails.policies.length === 0 ? policies.routing : joined(policies.routing, guardrails.policies);
    const routing: RouteResult | Promise<RouteResult> = this.planner.plan(request, caller, allowing, {
      seed: options.seed,
      choose,
      shortensTo: plugins.shortensTo,
    });
    return routing instanceof Promise
      ? routing.then((routed) => this.judge(planning, staged, routed))
      : this.judge(planning, staged, routing);
  }

  /** Holds the request to what its caller's guardrails and egress allow. */
  private judge(
    planning: Planning,
    prepared: StagedRequest,
    routed: RouteResult,
  ): PlannedRequest | Promise<PlannedRequest> {
    const { caller, guardrails, options } = planning;
    const { request } = prepared;
    if (options.isConsulted && routed.plan.legs.length === 0) {
      const fewer = withFewerTokens(request, routed);
      const asIs = { ...planning, options: { seed: options.seed } };
      if (fewer) return this.route(asIs, { ...prepared, request: fewer });
    }
    const isPlain = request.tools.length === 0 || hasOnlyFunctions(request.tools);
    const named = isPlain ? request : nameAdvisors(request, routed.inputs);
    return guardrails.inspect || caller.egress
      ? this.inspect(planning, named).then((inspected) => this.offer(planning, prepared, routed, inspected))
      : this.offer(planning, prepared, routed, { request: named, stages: NONE, refusal: undefined });
  }

  private async inspect({ caller, signal, guardrails }: Planning, request: ModelRequest): Promise<Inspected> {
    const inspected = await guardrails.inspect?.(request, signal);
    const bound = await bindRequest(inspected?.request ?? request, caller.egress);
    return {
      request: bound.request,
      stages: inspected?.stages ?? NONE,
      refusal: inspected?.blocked ?? bound.refusal,
    };
  }

  private offer(
    { signal, guardrails, plugins }: Planning,
    prepared: StagedRequest,
    routed: RouteResult,
    inspected: Inspected,
  ): PlannedRequest {
    const { plan, choice, inputs } = routed;
    const { tools } = inspected.request;
    const { request, offered, offers } =
      tools.length === 0 || hasOnlyFunctions(tools)
        ? { request: inspected.request, offered: NO_TOOLS, offers: NO_OFFERS }
        : this.tools.offer(inspected.request, routed);
    const { inspect } = guardrails;
    const wantsFit = request.contextManagement !== undefined || traitsOf(request.messages).hasDocuments;
    return {
      request,
      routed,
      stages: choice?.told
        ? [choiceStage(choice), ...prepared.stages, ...inspected.stages]
        : inspected.stages.length === 0
          ? prepared.stages
          : [...prepared.stages, ...inspected.stages],
      files: prepared.files,
      budgets: guardrails.budgets,
      // A plan with legs has a model that is allowed.
      refusal: (plan.legs.length === 0 ? forbiddenModels(plan) : undefined) ?? inspected.refusal,
      plugins,
      fit: wantsFit ? fitInTurn(documentReader(request), contextEditor(request, inputs.carries)) : undefined,
      offered,
      offers,
      inspect: inspect && ((added) => inspect(added, signal)),
      mayBeExtended: offered.size > 0 || plugins.isWatching || plugins.mayConsult,
    };
  }
}

/** What the answer of a request is run with. */
export function runOf({ planned, admitted, signal }: PlannedRun): RunInputs {
  const { plugins } = planned;
  let hasLimits = false;
  let hasShort = false;
  for (const { model, endpoint } of admitted.plan.legs) {
    if (model.limits) hasLimits = true;
    if (endpoint.contextLength <= plugins.fitsUpTo) hasShort = true;
  }
  return {
    plan: admitted.plan,
    request: planned.request,
    prompt: admitted.prompt,
    purpose: 'answer',
    reveal: planned.routed.reveal,
    // A conversation that is cleared may have room where it had none.
    fit: hasShort ? fitInTurn(planned.fit, plugins.fit) : planned.fit,
    modelLimiter: hasLimits ? admitted.modelLimiter : undefined,
    signal,
  };
}

/**
 * Nobody hears of it when a call of the gateway's own is refused for the length of its answer: it asks for as long a
 * one as there is. A budget of thinking without room in that is left out, for vendors refuse it.
 * @returns undefined where its length keeps nobody from answering
 */
function withFewerTokens(request: ModelRequest, { inputs }: RouteResult): ModelRequest | undefined {
  const given = request.maxOutputTokens === undefined ? undefined : outputTokensGiven(inputs);
  if (given === undefined) return undefined;
  const { thinking, ...rest } = request;
  const fits = thinking && !(thinking.type === 'enabled' && thinking.budgetTokens >= given);
  return { ...rest, ...(fits && { thinking }), maxOutputTokens: given };
}

const NONE: readonly never[] = [];
const AS_ASKED: PlanningOptions = {};

/** The lists that were joined last, by the first of them: both are the same ones for seconds. */
const JOINED = new WeakMap<
  readonly RoutingPolicy[],
  { readonly others: readonly RoutingPolicy[]; readonly all: readonly RoutingPolicy[] }
>();

function joined(own: readonly RoutingPolicy[], others: readonly RoutingPolicy[]): readonly RoutingPolicy[] {
  if (others.length === 0) return own;
  if (own.length === 0) return others;
  const known = JOINED.get(own);
  if (known?.others === others) return known.all;
  const all = [...own, ...others];
  JOINED.set(own, { others, all });
  return all;
}
