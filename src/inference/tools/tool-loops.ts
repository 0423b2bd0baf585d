import { Injectable } from '@nestjs/common';
import type { ModelRequest } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import type { ToolUseRecord } from '../../core/generation/generation.js';
import type { ModelRun } from '../../core/generation/model-run.js';
import type { Plan, PlannedLeg } from '../../core/routing/plan.js';
import type { HeldAmounts } from '../../ledger/hold.js';
import { PlanRunner } from '../../routing/plan-runner.js';
import { ToolContexts } from '../../tools/tool-contexts.js';
import { Admission } from '../admission.js';
import type { AdmittedGeneration, ContextAt } from '../admitted-generation.js';
import { runOf } from '../request-planner.js';
import type { ServiceCall } from './step-events.js';
import { ToolLoop, type LoopDependencies } from './tool-loop.js';
import { ToolUses } from './tool-uses.js';

/** What `max_tool_calls` may say at most; more is read as this (docs/wire/tools-and-plugins.md#the-loop). */
const USES_MAX = 30;

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
      (request, ofUse, use) =>
        contextAt(request, { signal: ofUse, refused, use, consulted: (run) => use.consulted.push(run) }),
      signal,
      consulted?.usesMax ?? usesMaxOf(planned.request),
    );
    const dependencies: LoopDependencies = {
      uses,
      inspect: planned.inspect,
      affords: async (calls) => {
        release?.();
        release = await unlessAway(admitted.billing.makeRoom(roomOfUses(uses.records, calls)));
        return release !== undefined;
      },
      wasRefused: () => isRefused,
      call: async (request, answered) => {
        release?.();
        const plan = beginningWith(answered, admitted.plan);
        const next = await unlessAway(this.admission.admitStep(admitted, plan, request));
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

/** Conditions say more exactly when a loop is to end: beside them the number is not heard. */
const usesMaxOf = ({ maxToolCalls, stopServerToolsWhen }: ModelRequest): number | undefined =>
  maxToolCalls === undefined || stopServerToolsWhen ? undefined : Math.min(maxToolCalls, USES_MAX);

/**
 * While the ledger cannot be written nothing more is begun, as where there is no room: what the loop has brought is
 * charged, and so it is told.
 */
async function unlessAway<T>(room: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await room;
  } catch (error) {
    if (error instanceof GatewayError && error.kind === 'service-unavailable') return undefined;
    throw error;
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
