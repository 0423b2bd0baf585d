import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../core/caller.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { consultedModels } from '../../core/routing/name-advisors.js';
import { doInSlices } from '../../core/steps.js';
import type { ServiceTool, ToolSetup } from '../../core/tool.js';
import { AttemptRunner } from '../../routing/attempt-runner.js';
import type { RouteResult } from '../../routing/route-planner.js';
import { SERVICE_TOOLS } from '../../tools/service-tools.js';
import { ToolContexts } from '../../tools/tool-contexts.js';
import { isOnlySandbox } from './only-sandbox.js';
import { findSeals, openSeals, recallTurns, type ByResultType } from './recall-turns.js';
import { offerTools, type NativeRuns, type NativeTargets, type OfferedRequest } from './offered-tools.js';

/** Decides which of a request's tools this gateway runs. */
@Injectable()
export class ToolOfferPlanner {
  private readonly byType: ReadonlyMap<string, ServiceTool>;
  private readonly byResult: ByResultType;

  constructor(
    @Inject(SERVICE_TOOLS) services: readonly ServiceTool[],
    private readonly attempts: AttemptRunner,
    private readonly contexts: ToolContexts,
  ) {
    this.byType = new Map(services.flatMap((service) => service.types.map((type) => [type, service] as const)));
    this.byResult = new Map(services.map((service) => [service.resultType, service]));
  }

  /**
   * The request with the uses of the gateway's tools in earlier turns as models had them: for conversations that
   * `holdsToolTurns` finds.
   * @throws GatewayError `service-unavailable` when the key service does not answer
   */
  async recall(request: ModelRequest, caller: Caller): Promise<ModelRequest> {
    const { messages, tools } = request;
    const seals = await doInSlices(findSeals(messages));
    await this.contexts.prepareToOpen(seals.values());
    const opened = await doInSlices(openSeals(seals, this.contexts.opener(caller)));
    const taken = new Set(tools.flatMap((tool) => (tool.type === 'function' ? [tool.name] : [])));
    const inputs = { tools: this.byResult, opened, taken };
    return { ...request, messages: await doInSlices(recallTurns(messages, inputs)) };
  }

  /**
   * Offers the tools of a request that are not functions of the caller.
   * @throws GatewayError as `offerTools`
   */
  offer(request: ModelRequest, { inputs, plan }: RouteResult): OfferedRequest {
    const { legs } = plan;
    const nativeTargets: NativeTargets = (tools) => {
      const runs = legs.map((leg) => this.attempts.toolRuns(leg, tools));
      return tools.map((_, index) => joined(runs.map((ofLeg) => ofLeg[index]!)));
    };
    const setup = { catalog: inputs.catalog, modelOf: consulting(inputs), isSandbox: isOnlySandbox(plan) };
    return offerTools(request, this.byType, setup, nativeTargets);
  }
}

/** Joins what all legs do with one tool. */
function joined(runsByLeg: ReturnType<AttemptRunner['toolRuns']>): NativeRuns {
  if (runsByLeg.length > 0 && runsByLeg.every((runs) => runs === true)) return 'all';
  if (runsByLeg.includes(true)) return 'some';
  if (runsByLeg.includes('unpriced')) return 'perhaps';
  const held = runsByLeg.filter((runs) => typeof runs === 'object');
  // A tool whose vendor has fields for all parameters may be served by the gateway; only the name is in the way.
  return held.find((runs) => 'clash' in runs) ?? held[0] ?? 'none';
}

/** Most requests have no tool that calls a model: the permitted models are read when one does. */
const consulting =
  (inputs: RouteResult['inputs']): ToolSetup['modelOf'] =>
  (name, path) =>
    consultedModels(inputs)(name, path);
