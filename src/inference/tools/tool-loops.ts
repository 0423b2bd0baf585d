import { Injectable } from '@nestjs/common';
import type { Generation } from '../../core/generation/generation.js';
import type { Plan, PlannedLeg } from '../../core/routing/plan.js';
import type { HeldAmounts } from '../../ledger/hold.js';
import { PlanRunner } from '../../routing/plan-runner.js';
import { ToolContexts } from '../../tools/tool-contexts.js';
import { Admission } from '../admission.js';
import { runOf, type AdmittedGeneration, type ContextAt } from '../generation-contexts.js';
import type { ServiceCall } from './step-events.js';
import { ToolLoop } from './tool-loop.js';
import { ToolUses } from './tool-uses.js';

/** Begins loops: knows who makes room, calls models and opens seals for them. */
@Injectable()
export class ToolLoops {
  constructor(
    private readonly admission: Admission,
    private readonly plans: PlanRunner,
    private readonly contexts: ToolContexts,
  ) {}

  begin(start: AdmittedGeneration, contextAt: ContextAt): ToolLoop {
    const { generation, planned, admitted, signal } = start;
    const { caller } = generation;
    let release: (() => void) | undefined;
    let isRefused = false;
    const refused = (): void => void (isRefused = true);
    return new ToolLoop(generation, planned.request, planned.offered, signal, {
      uses: new ToolUses(
        generation,
        (request, ofUse, consulted) => contextAt(request, { signal: ofUse, refused, consulted }),
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
        const next = await this.admission.admitStep(admitted, plan, request);
        release = next?.release;
        return next && this.plans.run(generation, { ...runOf(start), ...next, request });
      },
      spent: () => admitted.billing.spent,
      spentOn: (runs) => admitted.billing.spentOn(runs),
      seal: (value) => this.contexts.seal(caller, value),
    });
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

/** Whoever answered is asked first: he has the prompt in his cache. */
const beginningWith = (answered: PlannedLeg, plan: Plan): Plan => ({
  ...plan,
  legs: [answered, ...plan.legs.filter((leg) => leg !== answered)],
});
