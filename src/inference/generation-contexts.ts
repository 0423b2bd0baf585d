import { Injectable } from '@nestjs/common';
import type { ModelEvent } from '../core/conversation/event.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { ConsultationKind } from '../core/conversation/usage.js';
import { GatewayError, ProviderFault } from '../core/errors.js';
import type { PlannedCall, FurtherCallOptions } from '../core/extension.js';
import { endingOf } from '../core/generation/ending.js';
import type { Generation } from '../core/generation/generation.js';
import type { ModelRun } from '../core/generation/model-run.js';
import { callableModels } from '../core/routing/callable-models.js';
import { mayRetain } from '../core/routing/route-inputs.js';
import { midReplyError } from '../routing/attempt-failures.js';
import { PlanRunner, type StartedCall } from '../routing/plan-runner.js';
import { ToolContexts, type GenerationTools } from '../tools/tool-contexts.js';
import type { AdmittedGeneration, ContextAt, ContextScope } from './billing/admitted-generation.js';
import { FurtherCalls } from './further-calls.js';
import { RequestPlanner, runOf } from './request-planner.js';
import type { ToolOffer } from './tools/offered-tools.js';
import { isOnlySandbox } from './tools/only-sandbox.js';
import type { ToolLoop } from './tools/tool-loop.js';
import { ToolLoopFactory } from './tools/tool-loop-factory.js';

type Batch = readonly ModelEvent[];

/** A planned further call of a generation. */
interface ConsultedCall {
  /** The generation, with the request and plan of this call. */
  readonly start: AdmittedGeneration & ContextScope;
  readonly purpose: ConsultationKind;
  readonly tools: GenerationTools;
  readonly toolUsesMax: number;
}

/** Makes the contexts of tools and plugins, which include calls of further models. */
@Injectable()
export class GenerationContexts {
  constructor(
    private readonly planner: RequestPlanner,
    private readonly further: FurtherCalls,
    private readonly plans: PlanRunner,
    private readonly contexts: ToolContexts,
    private readonly loops: ToolLoopFactory,
  ) {}

  /**
   * Called once per generation; its resources are released at the end.
   * @throws GatewayError `service-unavailable` where nothing can be sealed
   */
  async open(admitted: AdmittedGeneration): Promise<ContextAt> {
    await this.contexts.ready();
    const { caller, api } = admitted.generation;
    const tools = this.contexts.open(caller, api === 'messages', mayRetain(admitted.planned.routed.inputs.policies));
    admitted.generation.observe({ ended: () => tools.close() });
    return this.contextAt(tools, admitted);
  }

  private contextAt(tools: GenerationTools, admitted: AdmittedGeneration): ContextAt {
    const { inputs, plan } = admitted.planned.routed;
    const isSandbox = isOnlySandbox(plan);
    return (request, scope = { signal: admitted.signal }) => {
      const planCall = (
        callRequest: ModelRequest,
        kind: ConsultationKind,
        options?: FurtherCallOptions,
      ): Promise<PlannedCall> => this.plan(tools, { ...admitted, ...scope }, callRequest, kind, options);
      const { use } = scope;
      const context = tools.at({
        signal: scope.signal,
        catalog: inputs.catalog,
        isSandbox,
        callable: () => callableModels(inputs),
        request,
        charge: (cost, billed) => {
          scope.signal.throwIfAborted();
          use?.charge(cost, billed);
        },
        countWeb: (web) => use?.countWeb(web),
        plan: planCall,
        infer: async (callRequest, kind) => (await planCall(callRequest, kind)).start(),
      });
      return use ? { ...context, engines: use.engines(context.engines, admitted.admitted.billing) } : context;
    };
  }

  /** Plans a further call of a model: a run of the same generation with its own plan. */
  private async plan(
    tools: GenerationTools,
    start: AdmittedGeneration & ContextScope,
    request: ModelRequest,
    purpose: ConsultationKind,
    { signal = start.signal, toolUsesMax = Infinity }: FurtherCallOptions = {},
  ): Promise<PlannedCall> {
    const { generation, admitted } = start;
    const planned = await this.planner.plan(request, generation.caller, signal, { isConsulted: true });
    generation.pipeline = [...generation.pipeline, ...planned.stages];
    if (planned.refusal) throw planned.refusal;
    const callers = planned.offers.find(({ offer }) => offer?.runsAt === 'caller');
    if (callers) throw withoutCaller(callers);
    const runs: ModelRun[] = [];
    const consulted = (run: ModelRun): void => {
      runs.push(run);
      start.consulted?.(run);
    };
    const call = { start: { ...start, planned, signal, consulted }, purpose, tools, toolUsesMax };
    let loop: ToolLoop | undefined;
    return {
      get cost() {
        return admitted.billing.spentOn(runs) + (loop?.toolCost ?? 0n);
      },
      start: () => this.consult(call, (begun) => (loop = begun)),
    };
  }

  private async consult(
    { start, purpose, tools, toolUsesMax }: ConsultedCall,
    looping: (loop: ToolLoop) => void,
  ): Promise<AsyncIterable<Batch>> {
    const { generation, admitted, planned } = start;
    const { request, routed, offered } = planned;
    const next = await this.further.admitConsulted(generation, admitted, routed.plan, request);
    if (!next) {
      start.refused?.();
      throw new GatewayError('payment-required', 'Credits or limits do not cover what this model would cost.');
    }
    try {
      const consulted: AdmittedGeneration = { ...start, admitted: { ...admitted, ...next } };
      const run = { ...runOf(consulted), purpose };
      const model = routed.plan.models[0] ?? request.model;
      const kind = { purpose, model, usesMax: toolUsesMax, called: start.consulted! };
      const loop = offered.size > 0 ? this.loops.begin(consulted, this.contextAt(tools, consulted), kind) : undefined;
      if (loop) looping(loop);
      start.consulted?.(run);
      generation.consulted.push({ purpose, plan: run.plan, decision: routed });
      return eventsOf(generation, await this.plans.run(generation, run), next.release, loop);
    } catch (error) {
      next.release();
      throw error;
    }
  }
}

function withoutCaller({ tool, type }: ToolOffer): GatewayError {
  const path = tool.type === 'service' ? tool.path : undefined;
  const message = `${type} is run by the caller, so a consulted model cannot have it`;
  return new GatewayError('invalid-request', path === undefined ? message : `${path}: ${message}`);
}

/** The events of a consulted model, and of the further calls that follow its tool calls. */
async function* eventsOf(
  generation: Generation,
  begun: StartedCall,
  release: () => void,
  loop: ToolLoop | undefined,
): AsyncGenerator<Batch> {
  let next: StartedCall | Batch = begun;
  try {
    while ('call' in next) {
      const { call } = next;
      yield* eventsOfCall(generation, next, release, loop);
      if (call.isUnseen || !loop?.hasPendingToolCalls) return;
      yield* await loop.runTools(call.leg);
      next = await loop.next(call.leg);
    }
    yield next;
  } finally {
    release();
    loop?.close();
  }
}

/** The events of one call. Its end is reported to the generation, however it ends. */
async function* eventsOfCall(
  generation: Generation,
  { call, events }: StartedCall,
  release: () => void,
  loop: ToolLoop | undefined,
): AsyncGenerator<Batch> {
  try {
    for await (const batch of events) {
      const isOver = call.observe(batch);
      const shown = loop && !call.isUnseen ? loop.pass(batch) : batch;
      if (isOver) {
        generation.endCall(call, 'completed');
        release();
      }
      yield shown;
      if (isOver) return;
    }
  } catch (error) {
    const fault = error instanceof ProviderFault ? error : undefined;
    generation.endCall(call, endingOf(error), fault);
    throw fault ? midReplyError(fault, call.leg) : error;
  } finally {
    await events.return();
  }
}
