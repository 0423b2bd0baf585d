import { Injectable } from '@nestjs/common';
import type { CancelSignal, Cancellation } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import type { Generation, GenerationStart } from '../core/generation/generation.js';
import type { PullSource } from '../core/stream/pull-source.js';
import { WastedCalls } from '../rate-limits/wasted-calls.js';
import { GenerationFactory } from '../routing/generation-factory.js';
import { PlanRunner } from '../routing/plan-runner.js';
import { Admission } from './billing/admission.js';
import { Extensions } from './extensions.js';
import { isRecordedRefusal, RefusalRecords } from './refusal-records.js';
import { ReplyEvents } from './reply-events.js';
import { ResponseCache } from './response-cache/response-cache.js';
import { RequestPlanner, runOf } from './request-planner.js';

/** An accepted generation, and its reply. */
export interface AcceptedGeneration {
  readonly generation: Generation;
  /**
   * Resolves at the first committing event, with all events of the reply from its start, one array for each upstream
   * chunk; to be read once. Rejects with a `GatewayError` when no provider answered, or `CallerGone`; so do the events
   * when the provider fails mid-stream.
   */
  readonly reply: Promise<PullSource<readonly ModelEvent[]>>;
}

/** The single use case behind every inference face: plan, reserve, run, settle. */
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
    private readonly cache: ResponseCache,
  ) {}

  /**
   * Begins one inference of a parsed request. Aborting ends it at any stage and closes all of its sockets. A refusal
   * that needs no waiting, such as an unknown model, ends the generation before this returns: therefore an observer
   * from the start is passed in `start`.
   */
  begin(start: GenerationStart, abort: Cancellation): AcceptedGeneration {
    const generation = this.generations.create(start);
    generation.observe(this.wasted);
    const reply = start.cache
      ? this.cache.answer(generation, start.cache, abort, (signal) => this.answer(generation, signal))
      : this.answer(generation, abort);
    return { generation, reply };
  }

  private async answer(generation: Generation, signal: CancelSignal): Promise<ReplyEvents> {
    try {
      const { caller, request: original } = generation;
      const planning = this.planner.plan(original, caller, signal);
      // Avoids an await when the result is synchronous.
      const planned = planning instanceof Promise ? await planning : planning;
      const { request, routed, stages, files, budgets, subjects, refusal } = planned;
      generation.planned(routed, stages);
      generation.files = files;
      if (refusal) {
        generation.refusedByPolicy();
        throw refusal;
      }
      const payer = { request, caller, guardrails: budgets, subjects };
      const admitted = await this.admission.admit(generation, payer, signal);
      const start = { generation, planned, admitted, signal };
      const extended = planned.mayBeExtended ? await this.extensions.begin(start) : undefined;
      const begun = await this.plans.run(generation, runOf(extended?.start ?? start));
      const events = new ReplyEvents(generation, begun, signal, extended?.loop, extended?.watch);
      if (!begun.call.isUnseen) return events;
      await events.readUnseen();
      throw signal.reason;
    } catch (error) {
      // A call that is billed in full is awaited: its final report decides the charge.
      const unseen = generation.unseenConsultations();
      if (unseen) await unseen;
      const settled = generation.fail(error);
      // Most failures cost nothing, and are not awaited.
      if (isRecordedRefusal(generation)) await (generation.wasHeld ? settled : this.refusals.record(generation));
      else if (generation.isCharged) await settled;
      throw error;
    }
  }
}
