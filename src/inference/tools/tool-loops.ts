import { Injectable } from '@nestjs/common';
import type { ToolUseRecord } from '../../core/generation/generation.js';
import type { ModelRun } from '../../core/generation/model-run.js';
import type { Plan, PlannedLeg } from '../../core/routing/plan.js';
import type { HeldAmounts } from '../../ledger/hold.js';
import { PlanRunner } from '../../routing/plan-runner.js';
import { ToolContexts } from '../../tools/tool-contexts.js';
import { Admission } from '../admission.js';
import { runOf, type AdmittedGeneration, type ContextAt } from '../admitted-generation.js';
import type { ServiceCall } from './step-events.js';
import { ToolLoop, type LoopDependencies } from './tool-loop.js';
import { ToolUses } from './tool-uses.js';

/** What a loop is of that is not of the answer. */
export interface ConsultedLoop {
  readonly purpose: ModelRun['purpose'];
  /** Id of the model that is consulted. */
  readonly model: string;
  /** Of all its tools together. */
  readonly usesMax: number;
  /** A further call of it is made. */
  called(run: ModelRun): void;
}

/** Begins loops: knows who makes room, calls models and opens seals for them. */
@Injectable()
export class ToolLoops {
  constructor(
    private readonly admission: Admission,
    private readonly plans: PlanRunner,
    private readonly contexts: ToolContexts,
  ) {}

  /** @param consulted absent: the loop is of the answer */
  begin(start: AdmittedGeneration, contextAt: ContextAt, consulted?: ConsultedLoop): ToolLoop {
    const { generation, planned, admitted, signal } = start;
    const { caller } = generation;
    let release: (() => void) | undefined = admitted.release;
    let isRefused = false;
    const refused = (): void => void (isRefused = true);
    const uses = new ToolUses(
      generation,
      (request, ofUse, asked) => contextAt(request, { signal: ofUse, refused, consulted: asked }),
      signal,
      consulted?.usesMax,
    );
    const dependencies: LoopDependencies = {
      uses,
      inspect: planned.inspect,
      affords: async (calls) => {
        release?.();
        release = await admitted.billing.makeRoom(roomOfUses(uses.records, calls));
        return release !== undefined;
      },
      wasRefused: () => isRefused,
      call: async (request, answered) => {
        release?.();
        const plan = beginningWith(answered, admitted.plan);
        const next = await this.admission.admitStep(admitted, plan, request);
        release = next?.release;
        if (!next) return undefined;
        const run = { ...runOf(start), ...next, request, ...(consulted && { purpose: consulted.purpose }) };
        consulted?.called(run);
        return this.plans.run(generation, run);
      },
      spent: () => admitted.billing.spent,
      spentOn: (runs) => admitted.billing.spentOn(runs),
      seal: (value) => this.contexts.seal(caller, value),
      release: () => release?.(),
    };
    return new ToolLoop(generation, planned.request, planned.offered, signal, dependencies, consulted?.model);
  }
}

/** At their dearest, beside what those of them have cost that have ended. */
function roomOfUses(ended: readonly ToolUseRecord[], calls: readonly ServiceCall[]): HeldAmounts {
  const dearest = calls.reduce((sum, { offered }) => sum + offered.tool.price, 0n);
  const before = ended.length;
  return {
    byok: 0n,
    get credits() {
      return ended.slice(before).reduce((rest, { cost }) => rest - cost, dearest);
    },
  };
}

/** Whoever answered is asked first: he has the prompt in his cache. */
const beginningWith = (answered: PlannedLeg, plan: Plan): Plan => ({
  ...plan,
  legs: [answered, ...plan.legs.filter((leg) => leg !== answered)],
});
