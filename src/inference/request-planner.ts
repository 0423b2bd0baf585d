import { Injectable } from '@nestjs/common';
import { subjectsOf, type BudgetSubject } from '../accounts/budget-subjects.js';
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
import type { Admitted } from './billing/admission.js';
import { contextEditor, documentReader, fitInTurn } from './edit-context.js';
import { restrictToEgress } from './egress/restrict-to-egress.js';
import type { ActivePlugins, StagedRequest } from './plugins/active-plugins.js';
import { choiceStage } from './plugins/plugin-stages.js';
import { PluginSelector } from './plugins/plugin-selector.js';
import { NO_OFFERS, NO_TOOLS, type OfferedTools, type ToolOffer } from './tools/offered-tools.js';
import { holdsToolTurns } from './tools/recall-turns.js';
import { ToolOfferPlanner } from './tools/tool-offer-planner.js';

/** A request as its caller's guardrails allow it, and its route. */
export interface PlannedRequest {
  /**
   * The request that providers may receive: redacted by content filters, with consulted models resolved, and with tools
   * bound to the rules of the caller.
   */
  readonly request: ModelRequest;
  readonly routed: RouteResult;
  /** Changes by plugins and findings of content filters, as entries of the routing metadata's `pipeline`. */
  readonly stages: readonly JsonObject[];
  /** Files that plugins converted to text. */
  readonly files: readonly ParsedFile[];
  /** `scope_id`s of the guardrail budgets that are charged. */
  readonly budgets: readonly string[];
  /** Users, members and tags with budgets that it counts for. */
  readonly subjects: readonly BudgetSubject[];
  /** Why it must not be sent to any provider, even where there are legs. */
  readonly refusal: Error | undefined;
  readonly plugins: ActivePlugins;
  /**
   * Converts files for a leg, and applies the context edits that its vendor does not; undefined where neither is
   * needed. Plugins then fit the result.
   */
  readonly fit: FitRequest | undefined;
  /** The tools that this gateway runs for it. */
  readonly offered: OfferedTools;
  /** The parties that run those of its tools that this gateway knows. */
  readonly offers: readonly ToolOffer[];
  /** The content filters in force, for content that is added later. Undefined: none. */
  readonly inspect: ((added: ModelRequest) => Inspection | Promise<Inspection>) | undefined;
  /** Tools or plugins may extend it while it runs. */
  readonly mayBeExtended: boolean;
}

/** A request that was planned and admitted. */
export interface PlannedRun {
  readonly planned: PlannedRequest;
  readonly admitted: Admitted;
  readonly signal: CancelSignal;
}

/** Options of planning, besides the fields of the request. */
export interface PlanningOptions {
  /** Repeats the same draw. */
  readonly seed?: string | undefined;
  /**
   * Whether the request is the gateway's own, for a consultation: if no endpoint allows as many output tokens, it
   * requests fewer.
   */
  readonly isConsulted?: boolean;
}

/** A request that is being planned, and what is in force for its caller. */
interface Planning {
  readonly original: ModelRequest;
  readonly caller: Caller;
  readonly signal: CancelSignal;
  readonly options: PlanningOptions;
  readonly policies: CallerPolicies;
  readonly guardrails: GuardrailSet;
  readonly plugins: ActivePlugins;
}

/** A request after guardrails and egress rules. */
interface InspectedRequest {
  readonly request: ModelRequest;
  readonly stages: readonly JsonObject[];
  readonly refusal: Error | undefined;
}

/**
 * The single path from a request to its plan, for a generation, a token count or an explanation. Nothing is called,
 * held or stored.
 */
@Injectable()
export class RequestPlanner {
  constructor(
    private readonly guardrails: ActiveGuardrails,
    private readonly planner: RoutePlanner,
    private readonly policies: RoutingPolicies,
    private readonly plugins: PluginSelector,
    private readonly tools: ToolOfferPlanner,
    private readonly contexts: ToolContexts,
    private readonly catalog: CatalogStore,
  ) {}

  /**
   * Synchronous where nothing has to be awaited.
   * @param signal ends the reading of a long text; its reason is thrown
   * @throws GatewayError as `PluginSelector.of`, `RoutePlanner.plan` and `nameAdvisors`; a refusal by guardrails or
   *   egress is returned in the plan, so that its reader can see the route
   */
  plan(
    original: ModelRequest,
    caller: Caller,
    signal: CancelSignal,
    options: PlanningOptions = NO_OPTIONS,
  ): PlannedRequest | Promise<PlannedRequest> {
    const policies = this.policies.of(caller);
    const guardrails = this.guardrails.of(caller);
    if (policies instanceof Promise || guardrails instanceof Promise)
      return this.planWhenKnown(original, caller, signal, options, Promise.all([policies, guardrails]));
    const plugins = this.plugins.of(original, policies.plugins, options.isConsulted);
    return this.route({ original, caller, signal, options, policies, guardrails, plugins });
  }

  private async planWhenKnown(
    original: ModelRequest,
    caller: Caller,
    signal: CancelSignal,
    options: PlanningOptions,
    known: Promise<[CallerPolicies, GuardrailSet]>,
  ): Promise<PlannedRequest> {
    const [policies, guardrails] = await known;
    const plugins = this.plugins.of(original, policies.plugins, options.isConsulted);
    return this.route({ original, caller, signal, options, policies, guardrails, plugins });
  }

  /** The request to be planned. @param recalls it contains results of the gateway's tools from earlier turns */
  private async prepare(
    { original, caller, signal, policies, guardrails, plugins }: Planning,
    recalls: boolean,
  ): Promise<StagedRequest> {
    const recalled = recalls ? await this.tools.recall(original, caller) : original;
    const retains = plugins.isPreparing && mayRetain(joined(policies.routing, guardrails.policies));
    return plugins.prepare(recalled, () => this.contexts.local(caller, signal, this.catalog.current, retains));
  }

  /** @param prepared absent: the request as it was received */
  private route(planning: Planning, prepared?: StagedRequest): PlannedRequest | Promise<PlannedRequest> {
    const { original, caller, policies, guardrails, plugins, options } = planning;
    if (!prepared) {
      const { hasOpaque, hasReasoning } = traitsOf(original.messages);
      const recalls = (hasOpaque || hasReasoning) && holdsToolTurns(original.messages);
      if (recalls || plugins.changesRequest)
        return this.prepare(planning, recalls).then(async (changed) =>
          // Preparing may take long: a policy that changed meanwhile must be applied.
          this.route({ ...planning, policies: await this.policies.of(caller) }, changed),
        );
    }
    const staged = prepared ?? { request: original, stages: NONE, files: NONE };
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

  /** Applies the guardrails and egress rules of the caller. */
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

  private async inspect({ caller, signal, guardrails }: Planning, request: ModelRequest): Promise<InspectedRequest> {
    const inspected = await guardrails.inspect?.(request, signal);
    const restricted = await restrictToEgress(inspected?.request ?? request, caller.egress);
    return {
      request: restricted.request,
      stages: inspected?.stages ?? NONE,
      refusal: inspected?.blocked ?? restricted.refusal,
    };
  }

  private offer(
    { original, caller, signal, policies, guardrails, plugins }: Planning,
    prepared: StagedRequest,
    routed: RouteResult,
    inspected: InspectedRequest,
  ): PlannedRequest {
    const { plan, choice, inputs } = routed;
    const { tools } = inspected.request;
    const { request, offered, offers, warnings } =
      tools.length === 0 || hasOnlyFunctions(tools)
        ? { request: inspected.request, offered: NO_TOOLS, offers: NO_OFFERS, warnings: NONE }
        : this.tools.offer(inspected.request, routed);
    const { inspect } = guardrails;
    const wantsFit = request.contextManagement !== undefined || traitsOf(request.messages).hasDocuments;
    return {
      request,
      routed: warnings.length === 0 ? routed : { ...routed, warnings: [...(routed.warnings ?? NONE), ...warnings] },
      stages: choice?.details
        ? [choiceStage(choice), ...prepared.stages, ...inspected.stages]
        : inspected.stages.length === 0
          ? prepared.stages
          : [...prepared.stages, ...inspected.stages],
      files: prepared.files,
      budgets: guardrails.budgets,
      subjects: policies.budgeted.length === 0 ? NONE : subjectsOf(policies.budgeted, caller, original),
      // A plan with legs has an allowed model.
      refusal: (plan.legs.length === 0 ? forbiddenModels(plan) : undefined) ?? inspected.refusal,
      plugins,
      fit: wantsFit ? fitInTurn(documentReader(request), contextEditor(request, inputs.supportsField)) : undefined,
      offered,
      offers,
      inspect: inspect && ((added) => inspect(added, signal)),
      mayBeExtended: offered.size > 0 || plugins.isWatching || plugins.mayConsult,
    };
  }
}

/** The inputs for running the answer of a request. */
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
    // A conversation whose context was edited may fit where it did not.
    fit: hasShort ? fitInTurn(planned.fit, plugins.fit) : planned.fit,
    modelLimiter: hasLimits ? admitted.modelLimiter : undefined,
    signal,
  };
}

/**
 * No caller sees the refusal where a call of the gateway's own is too long in its answer: it requests the longest
 * answer that exists. A thinking budget that does not fit is left out, because vendors refuse it.
 * @returns undefined where the length excludes no endpoint
 */
function withFewerTokens(request: ModelRequest, { inputs }: RouteResult): ModelRequest | undefined {
  const tokensMax = request.maxOutputTokens === undefined ? undefined : outputTokensGiven(inputs);
  if (tokensMax === undefined) return undefined;
  const { thinking, ...rest } = request;
  const fits = thinking && !(thinking.type === 'enabled' && thinking.budgetTokens >= tokensMax);
  return { ...rest, ...(fits && { thinking }), maxOutputTokens: tokensMax };
}

const NONE: readonly never[] = [];
const NO_OPTIONS: PlanningOptions = {};

/** The latest joined lists, by the first of each pair: both stay identical for seconds. */
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
