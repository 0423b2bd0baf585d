import { Injectable } from '@nestjs/common';
import type { ModelRequest } from '../../core/conversation/request.js';
import { GatewayError } from '../../core/errors.js';
import type { ToolUseRecord } from '../../core/generation/generation.js';
import type { ModelRun } from '../../core/generation/model-run.js';
import type { Plan, PlannedLeg } from '../../core/routing/plan.js';
import type { HeldAmounts } from '../../ledger/hold.js';
import { PlanRunner } from '../../routing/plan-runner.js';
import { ToolContexts } from '../../tools/tool-contexts.js';
import type { AdmittedGeneration, ContextAt } from '../billing/admitted-generation.js';
import { FurtherCalls, isLimited, type AheadReservation } from '../further-calls.js';
import type { GenerationBilling } from '../billing/generation-billing.js';
import { runOf } from '../request-planner.js';
import { everShorter, shortenedStage } from '../shorten-request.js';
import type { ServiceCall } from './step-events.js';
import { ToolLoop, type LoopDependencies } from './tool-loop.js';
import { ToolUses } from './tool-uses.js';

/** Maximum of `max_tool_calls`; larger values are read as this (docs/use/tools-and-plugins.md#the-loop). */
const USES_MAX = 30;

/** Properties of a loop that is not of the answer. */
export interface ConsultedLoop {
  readonly purpose: ModelRun['purpose'];
  /** Id of the consulted model. */
  readonly model: string;
  /** Limit of all its tools together. */
  readonly usesMax: number;
  /** Called with each further call of the loop. */
  called(run: ModelRun): void;
}

/** Begins loops, with the reservations, the calls and the seals that they need. */
@Injectable()
export class ToolLoopFactory {
  constructor(
    private readonly further: FurtherCalls,
    private readonly plans: PlanRunner,
    private readonly contexts: ToolContexts,
  ) {}

  /** @param consulted absent: the loop is of the answer */
  begin(start: AdmittedGeneration, contextAt: ContextAt, consulted?: ConsultedLoop): ToolLoop {
    const { generation, planned, admitted, signal } = start;
    const { caller } = generation;
    let reservation: AheadReservation | undefined = reservationOfCall(admitted);
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
      refusalOf: async (calls, next) => {
        reservation?.release();
        reservation = undefined;
        const held = amountsOfUses(uses.records, calls);
        const { billing } = admitted;
        const plan = next && beginningWith(next.answered, admitted.plan);
        try {
          reservation = await unlessAway(
            plan ? this.further.admitUses(admitted, held, plan, next) : reserveAlone(billing, held),
          );
        } catch (error) {
          if (isLimited(error)) return 'too_many_requests';
          throw error;
        }
        return reservation ? undefined : 'unavailable';
      },
      wasRefused: () => isRefused,
      call: async (wanted, answered) => {
        const ahead = reservation;
        ahead?.releaseMoney();
        const plan = beginningWith(answered, admitted.plan);
        for (const { request, tokens } of everShorter(wanted)) {
          const next = await unlessAway(this.further.admitStep(admitted, plan, request, ahead?.tokens));
          reservation = next && reservationOfCall(next);
          if (!next) continue;
          if (tokens !== undefined) generation.pipeline = [...generation.pipeline, shortenedStage(tokens)];
          const run = { ...runOf(start), ...next, request, ...(consulted && { purpose: consulted.purpose }) };
          consulted?.called(run);
          return { request, begun: await this.plans.run(generation, run) };
        }
        return undefined;
      },
      spent: () => admitted.billing.spent,
      spentOn: (runs) => admitted.billing.spentOn(runs),
      seal: (value) => this.contexts.seal(caller, value),
      release: () => reservation?.release(),
    };
    return new ToolLoop(generation, planned.request, planned.offered, signal, dependencies, consulted?.model);
  }
}

/** The reservation of a call that takes no tokens ahead. */
const reservationOfCall = ({ release }: Pick<AheadReservation, 'release'>): AheadReservation => ({
  releaseMoney: release,
  release,
});

/** For uses whose results the caller sends back. */
async function reserveAlone(billing: GenerationBilling, uses: HeldAmounts): Promise<AheadReservation | undefined> {
  const release = await billing.reserveNext(uses);
  return release && reservationOfCall({ release });
}

/** Stop conditions are more exact: beside them the number is ignored. */
const usesMaxOf = ({ maxToolCalls, stopServerToolsWhen }: ModelRequest): number | undefined =>
  maxToolCalls === undefined || stopServerToolsWhen ? undefined : Math.min(maxToolCalls, USES_MAX);

/**
 * While the ledger cannot be written no further call is begun, as where there is no capacity: the results of the loop
 * so far are charged and returned.
 */
async function unlessAway<T>(reservation: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await reservation;
  } catch (error) {
    if (error instanceof GatewayError && error.kind === 'service-unavailable') return undefined;
    throw error;
  }
}

/** The maximum cost of the calls, less the cost of those that have ended since. */
function amountsOfUses(ended: readonly ToolUseRecord[], calls: readonly ServiceCall[]): HeldAmounts {
  const dearest = calls.reduce((sum, { offered }) => sum + offered.tool.price, 0n);
  const before = ended.length;
  return {
    byok: 0n,
    get credits() {
      return ended.slice(before).reduce((rest, { cost }) => rest - cost, dearest);
    },
  };
}

/** The leg that answered goes first: the prompt is in its provider's cache. */
const beginningWith = (answered: PlannedLeg, plan: Plan): Plan => ({
  ...plan,
  legs: [answered, ...plan.legs.filter((leg) => leg !== answered)],
});
