import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../core/caller.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { consultedModels } from '../../core/routing/name-advisors.js';
import { doInTurns } from '../../core/steps.js';
import type { ServiceTool, ToolSetup } from '../../core/tool.js';
import { AttemptRunner } from '../../routing/attempt-runner.js';
import type { RouteResult } from '../../routing/route-planner.js';
import { SERVICE_TOOLS } from '../../tools/service-tools.js';
import { ToolContexts } from '../../tools/tool-contexts.js';
import { isOnlySandbox } from './only-sandbox.js';
import { findSeals, openSeals, recallTurns, type ByResultType } from './recall-turns.js';
import { offerTools, type NativeRuns, type NativeTargets, type OfferedRequest } from './offered-tools.js';

/** Which of a request's tools this gateway runs. */
@Injectable()
export class ToolOffers {
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
   * The request with what the gateway's tools did in its earlier turns as models had it: for conversations that
   * `holdsToolTurns` finds.
   * @throws GatewayError `unavailable` when the key service does not answer
   */
  async recall(request: ModelRequest, caller: Caller): Promise<ModelRequest> {
    const { messages, tools } = request;
    const seals = await doInTurns(findSeals(messages));
    await this.contexts.prepareToOpen(seals.values());
    const opened = await doInTurns(openSeals(seals, this.contexts.opener(caller)));
    const taken = new Set(tools.flatMap((tool) => (tool.type === 'function' ? [tool.name] : [])));
    const inputs = { tools: this.byResult, opened, taken };
    return { ...request, messages: await doInTurns(recallTurns(messages, inputs)) };
  }

  /** Of a request with tools that are no functions of the caller's. @throws GatewayError as `offerTools` */
  offer(request: ModelRequest, { inputs, plan }: RouteResult): OfferedRequest {
    const { legs } = plan;
    const nativeTargets: NativeTargets = (tools) => {
      const runs = legs.map((leg) => this.attempts.toolRuns(leg, tools));
      return tools.map((_, place) => joined(runs.map((ofLeg) => ofLeg[place]!)));
    };
    const setup = { catalog: inputs.catalog, modelOf: consulting(inputs), isSandbox: isOnlySandbox(plan) };
    return offerTools(request, this.byType, setup, nativeTargets);
  }
}

/** Of one tool, over all legs. */
function joined(told: ReturnType<AttemptRunner['toolRuns']>): NativeRuns {
  if (told.length > 0 && told.every((runs) => runs === true)) return 'all';
  if (told.includes(true)) return 'some';
  if (told.includes('unsaid')) return 'perhaps';
  const held = told.filter((runs) => typeof runs === 'object');
  // Whose vendor has all words for it may be served in his stead; a name is all that he lacks.
  return held.find((runs) => 'clash' in runs) ?? held[0] ?? 'none';
}

/** Most requests have no tool that asks for a model: what may be asked is read when one does. */
const consulting =
  (inputs: RouteResult['inputs']): ToolSetup['modelOf'] =>
  (name, path) =>
    consultedModels(inputs)(name, path);
