import { Injectable } from '@nestjs/common';
import type { CancelSignal, Cancellation } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import type { Generation, GenerationStart } from '../core/generation/generation.js';
import type { Pulled } from '../core/stream/pulled.js';
import { WastedCalls } from '../limits/wasted-calls.js';
import { GenerationFactory } from '../routing/generation-factory.js';
import { PlanRunner } from '../routing/plan-runner.js';
import { Admission } from './admission.js';
import { Extensions } from './extensions.js';
import { isRecordedRefusal, RefusalRecords } from './refusal-records.js';
import { ReplyEvents } from './reply-events.js';
import { RequestPlanner, runOf } from './request-planner.js';

/** A generation that was accepted, and what will be answered. */
export interface AcceptedGeneration {
  readonly generation: Generation;
  /**
   * Resolves at the first committing event, with all events of the reply from its start, one array for each upstream
   * chunk; to be read once. Rejects with a `GatewayError` when nobody answered, or `CallerGone`; so do the events
   * when the provider fails in mid-reply.
   */
  readonly reply: Promise<Pulled<readonly ModelEvent[]>>;
}

/** The one use case behind every inference face: plan, reserve, run, settle. */
@Injectable()
export class CreateCompletion {
  constructor(
    private readonly generations: GenerationFactory,
    private readonly planner: RequestPlanner,
    private readonly admission: Admission,
    private readonly plans: PlanRunner,
    private readonly extensions: Extensions,
    private readonly wasted: WastedCalls,
    private readonly refusals: RefusalRecords,
  ) {}

  /**
   * Begins one inference of a request that has been read. Aborting ends it at any stage and closes every socket of it.
   * A refusal by what is at hand, such as an unknown model, ends the generation before this returns: who observes it
   * from its start is given with `start`.
   */
  begin(start: GenerationStart, abort: Cancellation): AcceptedGeneration {
    const generation = this.generations.create(start);
    generation.observe(this.wasted);
    return { generation, reply: this.answer(generation, abort) };
  }

  private async answer(generation: Generation, signal: CancelSignal): Promise<ReplyEvents> {
    try {
      const { caller, request: asked } = generation;
      const planning = this.planner.plan(asked, caller, signal);
      // No turn of the microtask queue for what is at hand.
      const planned = planning instanceof Promise ? await planning : planning;
      const { request, routed, stages, files, budgets, refusal } = planned;
      generation.planned(routed, stages);
      generation.files = files;
      if (refusal) {
        generation.refusedByPolicy();
        throw refusal;
      }
      const payer = { request, caller, guardrails: budgets };
      const admitted = await this.admission.admit(generation, payer, signal);
      const start = { generation, planned, admitted, signal };
      const extended = planned.mayBeExtended ? await this.extensions.begin(start) : undefined;
      const begun = await this.plans.run(generation, runOf(extended?.start ?? start));
      const events = new ReplyEvents(generation, begun, signal, extended?.loop, extended?.watch);
      if (!begun.call.isUnseen) return events;
      await events.readUnseen();
      throw signal.reason;
    } catch (error) {
      // What is billed in full is waited for: it is charged by what its provider tells in the end.
      const unseen = generation.unseenConsultations();
      if (unseen) await unseen;
      const settled = generation.fail(error);
      // Most failures cost nothing, and nothing is waited for.
      if (isRecordedRefusal(generation)) await (generation.wasHeld ? settled : this.refusals.record(generation));
      else if (generation.isCharged) await settled;
      throw error;
    }
  }
}
