import { Injectable } from '@nestjs/common';
import type { ModelEvent } from '../core/conversation/event.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { ConsultationKind } from '../core/conversation/usage.js';
import { GatewayError, ProviderFault } from '../core/errors.js';
import type { PlannedCall, PlanOptions } from '../core/extension.js';
import { endingOf } from '../core/generation/ending.js';
import type { Generation } from '../core/generation/generation.js';
import type { ModelRun } from '../core/generation/model-run.js';
import { callableModels } from '../core/routing/callable-models.js';
import { mayRetain } from '../core/routing/route-inputs.js';
import { midReplyError } from '../routing/fault-policies.js';
import { PlanRunner, type StartedCall } from '../routing/plan-runner.js';
import { ToolContexts, type GenerationTools } from '../tools/tool-contexts.js';
import { Admission } from './admission.js';
import type { AdmittedGeneration, ContextAt, ContextScope } from './admitted-generation.js';
import { RequestPlanner, runOf } from './request-planner.js';
import type { ToolOffer } from './tools/offered-tools.js';
import { isOnlySandbox } from './tools/only-sandbox.js';
import type { ToolLoop } from './tools/tool-loop.js';
import { ToolLoops } from './tools/tool-loops.js';

type Batch = readonly ModelEvent[];

/** A further call of a generation, as it was planned. */
interface ConsultedCall {
  /** The generation, with the request and the plan of this call. */
  readonly start: AdmittedGeneration & ContextScope;
  readonly purpose: ConsultationKind;
  readonly tools: GenerationTools;
  readonly toolUsesMax: number;
}

/** Makes what tools and plugins of generations work with, calls of further models among it. */
@Injectable()
export class GenerationContexts {
  constructor(
    private readonly planner: RequestPlanner,
    private readonly admission: Admission,
    private readonly plans: PlanRunner,
    private readonly contexts: ToolContexts,
    private readonly loops: ToolLoops,
  ) {}

  /**
   * Once for a generation; what is kept for it is let go at its end.
   * @throws GatewayError `unavailable` where nothing can be sealed
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
      const planCall = (asked: ModelRequest, kind: ConsultationKind, options?: PlanOptions): Promise<PlannedCall> =>
        this.plan(tools, { ...admitted, ...scope }, asked, kind, options);
      const { use } = scope;
      const context = tools.at({
        signal: scope.signal,
        catalog: inputs.catalog,
        isSandbox,
        callable: () => callableModels(inputs),
        request,
        charge: (cost) => {
          scope.signal.throwIfAborted();
          use?.charge(cost);
        },
        countWeb: (web) => use?.countWeb(web),
        plan: planCall,
        infer: async (asked, kind) => (await planCall(asked, kind)).start(),
      });
      return use ? { ...context, engines: use.engines(context.engines) } : context;
    };
  }

  /** Another model on the way: a run of the same generation, with a plan of its own. */
  private async plan(
    tools: GenerationTools,
    start: AdmittedGeneration & ContextScope,
    asked: ModelRequest,
    purpose: ConsultationKind,
    { signal = start.signal, toolUsesMax = Infinity }: PlanOptions = {},
  ): Promise<PlannedCall> {
    const { generation, admitted } = start;
    const planned = await this.planner.plan(asked, generation.caller, signal, { isConsulted: true });
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
    const next = await this.admission.admitConsulted(generation, admitted, routed.plan, request);
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
      return told(generation, await this.plans.run(generation, run), next.release, loop);
    } catch (error) {
      next.release();
      throw error;
    }
  }
}

function withoutCaller({ tool, type }: ToolOffer): GatewayError {
  const path = tool.type === 'service' ? tool.path : undefined;
  const message = `${type} is run by who asks for it, which a model that is consulted cannot`;
  return new GatewayError('invalid-request', path === undefined ? message : `${path}: ${message}`);
}

/** The events of a model that is consulted, and of the calls that its tools make necessary. */
async function* told(
  generation: Generation,
  begun: StartedCall,
  release: () => void,
  loop: ToolLoop | undefined,
): AsyncGenerator<Batch> {
  let next: StartedCall | Batch = begun;
  try {
    while ('call' in next) {
      const { call } = next;
      yield* toldCall(generation, next, release, loop);
      if (call.isUnseen || !loop?.goesOn) return;
      yield* await loop.runTools();
      next = await loop.next(call.leg);
    }
    yield next;
  } finally {
    release();
    loop?.close();
  }
}

/** The events of one call; its end, whatever way, is told to its generation. */
async function* toldCall(
  generation: Generation,
  { call, events }: StartedCall,
  release: () => void,
  loop: ToolLoop | undefined,
): AsyncGenerator<Batch> {
  try {
    for await (const batch of events) {
      const isOver = call.observe(batch);
      const shown = loop && !call.isUnseen ? loop.tell(batch) : batch;
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
