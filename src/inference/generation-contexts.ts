import { Injectable } from '@nestjs/common';
import type { CancelSignal } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { ConsultationKind } from '../core/conversation/usage.js';
import { GatewayError, ProviderFault } from '../core/errors.js';
import type { ExtensionContext } from '../core/extension.js';
import { endingOf } from '../core/generation/ending.js';
import type { Generation } from '../core/generation/generation.js';
import type { ModelRun } from '../core/generation/model-run.js';
import { callableModels } from '../core/routing/callable-models.js';
import { midReplyError } from '../routing/fault-policies.js';
import { PlanRunner, type RunInputs, type StartedCall } from '../routing/plan-runner.js';
import { ToolContexts } from '../tools/tool-contexts.js';
import { Admission, type Admitted } from './admission.js';
import { fitInTurn } from './edit-context.js';
import { RequestPlanner, type PlannedRequest } from './request-planner.js';
import { isOnlySandbox } from './tools/only-sandbox.js';

/** A generation that was admitted, and what it was planned from. */
export interface AdmittedGeneration {
  readonly generation: Generation;
  readonly planned: PlannedRequest;
  readonly admitted: Admitted;
  readonly signal: CancelSignal;
}

/** How the answer of a generation is asked for. */
export const runOf = ({ planned, admitted, signal }: AdmittedGeneration): RunInputs => ({
  plan: admitted.plan,
  request: planned.request,
  prompt: admitted.prompt,
  purpose: 'answer',
  reveal: planned.routed.reveal,
  // A conversation that is cleared may have room where it had none.
  fit: fitInTurn(planned.edit, planned.plugins.fit),
  modelLimiter: admitted.modelLimiter,
  signal,
});

/** What ends with a part of a generation, such as one use of a tool. */
interface ContextScope {
  readonly signal: CancelSignal;
  /** There is no room for what a model was asked. */
  readonly refused?: () => void;
  /** A model is asked. */
  readonly consulted?: (run: ModelRun) => void;
}

/** What tools and plugins of one generation work with, at a point of its request; as long as it, if nothing is said. */
export type ContextAt = (request: ModelRequest, scope?: ContextScope) => ExtensionContext;

/** Makes what tools and plugins of generations work with, calls of further models among it. */
@Injectable()
export class GenerationContexts {
  constructor(
    private readonly planner: RequestPlanner,
    private readonly admission: Admission,
    private readonly plans: PlanRunner,
    private readonly contexts: ToolContexts,
  ) {}

  /**
   * Once for a generation; what is kept for it is let go at its end.
   * @throws GatewayError `unavailable` where nothing can be sealed
   */
  async open(admitted: AdmittedGeneration): Promise<ContextAt> {
    const { generation, planned, signal } = admitted;
    await this.contexts.ready();
    const { caller, api } = generation;
    const tools = this.contexts.open(caller, api === 'messages');
    generation.observe({ ended: () => tools.close() });
    const { inputs, plan } = planned.routed;
    const isSandbox = isOnlySandbox(plan);
    return (request, scope = { signal }) =>
      tools.at({
        signal: scope.signal,
        catalog: inputs.catalog,
        isSandbox,
        callable: () => callableModels(inputs),
        request,
        infer: (consulted, kind) => this.consult({ ...admitted, ...scope }, consulted, kind),
      });
  }

  /** Calls another model on the way: a run of the same generation, with a plan of its own. */
  private async consult(
    start: AdmittedGeneration & ContextScope,
    asked: ModelRequest,
    purpose: ConsultationKind,
  ): Promise<AsyncIterable<readonly ModelEvent[]>> {
    const { generation, admitted, signal } = start;
    const planned = await this.planner.plan(asked, generation.caller, signal, { isConsulted: true });
    const { request, routed, stages, refusal } = planned;
    generation.pipeline = [...generation.pipeline, ...stages];
    if (refusal) throw refusal;
    const next = await this.admission.admitConsulted(generation, admitted, routed.plan, request);
    if (!next) {
      start.refused?.();
      throw new GatewayError('payment-required', 'There is no room for what this would cost.');
    }
    try {
      const run = { ...runOf({ ...start, planned }), ...next, purpose };
      start.consulted?.(run);
      return told(generation, await this.plans.run(generation, run), next.release);
    } catch (error) {
      next.release();
      throw error;
    }
  }
}

/** The events of a call that is consulted; its end, whatever way, is told to its generation. */
async function* told(
  generation: Generation,
  { call, events }: StartedCall,
  release: () => void,
): AsyncGenerator<readonly ModelEvent[]> {
  try {
    for await (const batch of events) {
      const isOver = call.observe(batch);
      if (isOver) {
        generation.endCall(call, 'completed');
        release();
      }
      yield batch;
      if (isOver) return;
    }
  } catch (error) {
    const fault = error instanceof ProviderFault ? error : undefined;
    generation.endCall(call, endingOf(error), fault);
    throw fault ? midReplyError(fault, call.leg) : error;
  } finally {
    await events.return();
    release();
  }
}
