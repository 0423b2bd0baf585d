import { Injectable } from '@nestjs/common';
import { RoutingPolicies } from '../accounts/routing-policies.js';
import type { CancelSignal } from '../core/cancellation.js';
import type { Caller } from '../core/caller.js';
import type { ParsedFile } from '../core/conversation/parsed-file.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { JsonObject } from '../core/json/json.js';
import { nameAdvisors } from '../core/routing/name-advisors.js';
import { outputTokensGiven } from '../core/routing/plan-route.js';
import { forbiddenModels } from '../core/routing/no-route-error.js';
import { mayRetain } from '../core/routing/route-inputs.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import { ActiveGuardrails } from '../guardrails/active-guardrails.js';
import type { Inspection } from '../guardrails/inspector.js';
import type { FitRequest } from '../routing/plan-runner.js';
import { RoutePlanner, type RouteResult } from '../routing/route-planner.js';
import { ToolContexts } from '../tools/tool-contexts.js';
import { contextEditor, documentReader, fitInTurn } from './edit-context.js';
import { bindRequest } from './egress/bind-request.js';
import type { ActivePlugins } from './plugins/active-plugins.js';
import { choiceStage } from './plugins/plugin-stages.js';
import { PluginSets } from './plugins/plugin-sets.js';
import type { OfferedTools, ToolOffer } from './tools/offered-tools.js';
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
  /** The content filters in force, for what is added to it on the way. */
  readonly inspect: (added: ModelRequest) => Inspection | Promise<Inspection>;
}

/** How a request is planned, beside what it says. */
export interface PlanningOptions {
  /** Gives the same draw again. */
  readonly seed?: string | undefined;
  /** It is the gateway's own, on the way to an answer: where nobody gives as many tokens, it asks for fewer. */
  readonly isConsulted?: boolean;
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
   * @param signal ends the reading of a long text; its reason is thrown
   * @throws GatewayError as `PluginSets.of`, `RoutePlanner.plan` and `nameAdvisors`; what guardrails and egress refuse
   *   is told in the plan, for its reader may want to know who would have been called
   */
  async plan(
    told: ModelRequest,
    caller: Caller,
    signal: CancelSignal,
    { seed, isConsulted = false }: PlanningOptions = {},
  ): Promise<PlannedRequest> {
    const saying = this.policies.pluginsOf(caller);
    // No turn of the microtask queue for what is at hand.
    const defaults = saying instanceof Promise ? await saying : saying;
    const plugins = isConsulted ? this.plugins.ofConsulted(told, defaults) : this.plugins.of(told, defaults);
    const recalling = this.tools.recall(told, caller);
    const recalled = recalling instanceof Promise ? await recalling : recalling;
    const inForce = this.guardrails.of(caller);
    const guardrails = inForce instanceof Promise ? await inForce : inForce;
    const retains = plugins.isPreparing && mayRetain([...(await this.policies.of(caller)), ...guardrails.policies]);
    const preparing = plugins.prepare(recalled, () =>
      this.contexts.local(caller, signal, this.catalog.current(), retains),
    );
    const { request: whole, stages: prepared, files } = preparing instanceof Promise ? await preparing : preparing;
    const options = { seed, choose: plugins.chooser(whole), shortensTo: plugins.shortensTo };
    const first = await this.planner.plan(whole, caller, guardrails.policies, options);
    const fewer = isConsulted && first.plan.legs.length === 0 ? withFewerTokens(whole, first) : undefined;
    const asked = fewer ?? whole;
    const routed = fewer ? await this.planner.plan(fewer, caller, guardrails.policies, options) : first;
    const inspecting = guardrails.inspect(nameAdvisors(asked, routed.inputs), signal);
    const { request: read, stages, blocked } = inspecting instanceof Promise ? await inspecting : inspecting;
    const binding = bindRequest(read, caller.egress);
    const { request, refusal: unreachable } = binding instanceof Promise ? await binding : binding;
    const { plan } = routed;
    // A plan with legs has a model that is allowed.
    const refusal = (plan.legs.length === 0 ? forbiddenModels(plan) : undefined) ?? blocked ?? unreachable;
    const { request: shown, offered, offers } = this.tools.offer(request, routed);
    return {
      request: shown,
      routed,
      stages: joined(routed.choice?.told ? [choiceStage(routed.choice)] : NO_STAGES, prepared, stages),
      files,
      budgets: guardrails.budgets,
      refusal,
      plugins,
      fit: fitInTurn(documentReader(shown), contextEditor(shown, routed.inputs.carries)),
      offered,
      offers,
      inspect: (added) => guardrails.inspect(added, signal),
    };
  }
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

const NO_STAGES: readonly never[] = [];

/** Most requests have none. */
const joined = (...parts: readonly (readonly JsonObject[])[]): readonly JsonObject[] =>
  parts.filter((part) => part.length > 0).flat();
