import { Injectable } from '@nestjs/common';
import type { CancelSignal } from '../../core/cancellation.js';
import type { ModelEvent } from '../../core/conversation/event.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { ConsultationKind } from '../../core/conversation/usage.js';
import { GatewayError, ProviderFault } from '../../core/errors.js';
import { endingOf } from '../../core/generation/ending.js';
import type { Generation } from '../../core/generation/generation.js';
import type { ModelRun } from '../../core/generation/model-run.js';
import { callableModels } from '../../core/routing/callable-models.js';
import type { Plan, PlannedLeg } from '../../core/routing/plan.js';
import type { HeldAmounts } from '../../ledger/hold.js';
import { midReplyError } from '../../routing/fault-policies.js';
import { PlanRunner, type StartedCall } from '../../routing/plan-runner.js';
import { ToolContexts, type GenerationParts } from '../../tools/tool-contexts.js';
import { Admission, type Admitted } from '../admission.js';
import { RequestPlanner, type PlannedRequest } from '../request-planner.js';
import type { ServiceCall } from './step-events.js';
import { ToolLoop } from './tool-loop.js';
import { ToolUses } from './tool-uses.js';

/** A generation that was admitted, and what it was planned from. */
export interface LoopStart {
  readonly generation: Generation;
  readonly planned: PlannedRequest;
  readonly admitted: Admitted;
  readonly signal: CancelSignal;
}

/** One use of a tool: ends with its own signal. */
interface UseStart extends LoopStart {
  /** There is no room for what it asked a model. */
  readonly refused: () => void;
  readonly consulted: (run: ModelRun) => void;
}

/** Begins loops: knows who makes room, calls models and opens seals for them. */
@Injectable()
export class ToolLoops {
  constructor(
    private readonly planner: RequestPlanner,
    private readonly admission: Admission,
    private readonly plans: PlanRunner,
    private readonly contexts: ToolContexts,
  ) {}

  /**
   * @throws GatewayError `unavailable` where nothing can be sealed
   */
  async begin(start: LoopStart): Promise<ToolLoop> {
    const { generation, planned, admitted, signal } = start;
    await this.contexts.ready();
    const { caller, api } = generation;
    const tools = this.contexts.open(caller, api === 'messages');
    generation.observe({ ended: () => tools.close() });
    let release: (() => void) | undefined;
    let isRefused = false;
    const refused = (): void => void (isRefused = true);
    return new ToolLoop(generation, planned.request, planned.offered, signal, {
      uses: new ToolUses(
        generation,
        (request, ofUse, consulted) => tools.at(this.partsOf({ ...start, signal: ofUse, refused, consulted }, request)),
        signal,
      ),
      inspect: planned.inspect,
      affords: async (calls) => {
        release?.();
        release = await admitted.billing.makeRoom(roomOfUses(generation, calls));
        return release !== undefined;
      },
      wasRefused: () => isRefused,
      call: async (request, answered) => {
        release?.();
        const plan = beginningWith(answered, admitted.plan);
        const next = await this.admission.admitNext(admitted, plan, request);
        release = next?.release;
        return next && this.plans.run(generation, { ...runOf(start), ...next, request, purpose: 'answer' });
      },
      spent: () => admitted.billing.spent,
      spentOn: (runs) => admitted.billing.spentOn(runs),
      seal: (value) => this.contexts.seal(caller, value),
    });
  }

  private partsOf(start: UseStart, request: ModelRequest): GenerationParts {
    const { inputs } = start.planned.routed;
    return {
      signal: start.signal,
      catalog: inputs.catalog,
      callable: () => callableModels(inputs),
      request,
      infer: (consulted, kind) => this.consult(start, consulted, kind),
    };
  }

  /** Calls another model on the way: a run of the same generation, with a plan of its own. */
  private async consult(
    start: UseStart,
    asked: ModelRequest,
    purpose: ConsultationKind,
  ): Promise<AsyncIterable<readonly ModelEvent[]>> {
    const { generation, admitted, signal } = start;
    const { request, routed, stages, refusal } = await this.planner.plan(asked, generation.caller, signal);
    generation.pipeline = [...generation.pipeline, ...stages];
    if (refusal) throw refusal;
    const next = await this.admission.admitConsulted(generation, admitted, routed.plan, request);
    if (!next) {
      start.refused();
      throw new GatewayError('payment-required', 'There is no room for what this would cost.');
    }
    try {
      const run = { ...runOf(start), ...next, request, purpose, reveal: routed.reveal };
      start.consulted(run);
      return told(generation, await this.plans.run(generation, run), next.release);
    } catch (error) {
      next.release();
      throw error;
    }
  }
}

/** At their dearest, beside what those of them have cost that have ended. */
function roomOfUses({ toolUses }: Generation, calls: readonly ServiceCall[]): HeldAmounts {
  const dearest = calls.reduce((sum, { offered }) => sum + offered.tool.price, 0n);
  const before = toolUses.length;
  return {
    byok: 0n,
    get credits() {
      return toolUses.slice(before).reduce((rest, { cost }) => rest - cost, dearest);
    },
  };
}

const runOf = ({ planned, admitted, signal }: LoopStart) => ({
  reveal: planned.routed.reveal,
  modelLimiter: admitted.modelLimiter,
  signal,
});

/** Whoever answered is asked first: he has the prompt in his cache. */
const beginningWith = (answered: PlannedLeg, plan: Plan): Plan => ({
  ...plan,
  legs: [answered, ...plan.legs.filter((leg) => leg !== answered)],
});

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
