import { Injectable } from '@nestjs/common';
import type { CancelSignal } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { GatewayError, ModelRefusal, ProviderFault, Untranslatable } from '../core/errors.js';
import { mayCall } from '../core/routing/attempts.js';
import type { Model } from '../core/routing/catalog.js';
import type { Leg, Plan, PlannedLeg } from '../core/routing/plan.js';
import { HealthRegistry } from '../health/health-registry.js';
import { Metrics, type AttemptOutcome } from '../shared/metrics.js';
import { Tracing, type TraceSpan } from '../shared/tracing.js';
import { AttemptRecord, healthKeyOf } from './attempt-record.js';
import { AttemptRunner } from './attempt-runner.js';
import type { RevealCredential } from './route-planner.js';
import { failureOf, FAULT_POLICIES, type FailedAttempt } from './fault-policies.js';
import { usageOf, type BegunReply } from './stream-attempt.js';

/** Told to come back when every endpoint began to cool between the plan and the call. */
const RETRY_SOON_MS = 1_000;

/** The attempt that answered. */
export interface AnsweredPlan {
  readonly leg: PlannedLeg;
  readonly events: BegunReply;
  /** To be ended with the reply. */
  readonly record: AttemptRecord;
}

/** What became of a plan so far: filled in as it is run, read by whoever tells of it. */
export interface PlanRun {
  readonly plan: Plan;
  readonly reveal: RevealCredential;
  /** Attempts that did not answer, in order. */
  readonly failed: FailedAttempt[];
  /** Calls that were begun; a target that could not carry the request was not called. */
  calls: number;
  /** The latest of them. */
  calling?: Leg;
  answered?: AnsweredPlan;
}

/** Whether a model may be called now: asked before the first call of each. */
export type EnterModel = (model: Model) => boolean | Promise<boolean>;

/** Runs a plan: one leg after another until one is telling. */
@Injectable()
export class PlanRunner {
  constructor(
    private readonly attempts: AttemptRunner,
    private readonly health: HealthRegistry,
    private readonly metrics: Metrics,
    private readonly tracing: Tracing,
  ) {}

  /** @throws GatewayError when no leg answered, or the signal's reason */
  async run(
    run: PlanRun,
    request: ModelRequest,
    span: TraceSpan,
    signal: CancelSignal,
    enter: EnterModel,
  ): Promise<AnsweredPlan> {
    const { plan, failed } = run;
    // Bits of the models that may be called, and the models that no other endpoint can help: what was asked of them was at fault, or they refused.
    let enteredModels = 0;
    let leftModels = 0;
    let refused: AnsweredPlan | undefined;
    const giveUpRefused = (): void => {
      if (refused) failed.push(this.giveUp(refused));
      refused = undefined;
    };
    for (const [index, leg] of plan.legs.entries()) {
      const model = 1 << leg.modelIndex;
      if ((leftModels & model) !== 0 || !mayCall(plan, index, run.calls)) continue;
      if ((enteredModels & model) === 0) {
        const mayEnter = enter(leg.model);
        if (mayEnter === true || (await mayEnter)) enteredModels |= model;
        else {
          leftModels |= model;
          continue;
        }
      }
      if (!this.health.admit(healthKeyOf(leg))) continue;
      run.calls++;
      run.calling = leg;
      const record = this.open(leg, request, span);
      try {
        const events = await this.attempts.run(leg, request, run.reveal, signal);
        giveUpRefused();
        if (request.stream) record.told();
        const answered = { leg, events, record };
        if (!plan.movesOnRefusal || !isRefusal(events.beginning)) return (run.answered = answered);
        leftModels |= model;
        refused = answered;
      } catch (error) {
        const { outcome, fault } = endOf(error, signal, run.calls === 1);
        record.end(outcome, fault && { fault });
        // One that cannot carry the request was not asked: a refusal before it still stands.
        if (error instanceof Untranslatable) run.calls--;
        else giveUpRefused();
        if (signal.aborted) throw signal.reason;
        if (!(error instanceof ProviderFault || error instanceof Untranslatable)) throw error;
        if (error instanceof Untranslatable) {
          failed.push({ leg, error });
          continue;
        }
        failed.push({ leg, error, ...(error.detail.usage && { usage: error.detail.usage }) });
        if (FAULT_POLICIES[error.kind].tryNext === 'model') leftModels |= model;
      }
    }
    // Nobody after it was asked: its refusal is the answer.
    if (refused) return (run.answered = refused);
    throw failed.length > 0 ? failureOf(failed) : allResting();
  }

  private open(leg: Leg, request: ModelRequest, span: TraceSpan): AttemptRecord {
    const { provider, upstreamModel } = leg.endpoint;
    const attempt = { provider: provider.slug, model: upstreamModel, streamed: request.stream };
    return new AttemptRecord(leg, this.tracing.startAttempt(span, attempt), this.metrics, this.health);
  }

  private giveUp({ leg, events, record }: AnsweredPlan): FailedAttempt {
    const usage = usageOf(events.beginning) ?? {};
    record.end('refused', { usage, stop: 'refusal' });
    void events.return();
    return { leg, error: new ModelRefusal(), usage };
  }
}

/** True when the reply has ended already, and in a refusal: nothing of it was sent to the caller. */
const isRefusal = (beginning: readonly ModelEvent[]): boolean =>
  beginning.some(
    (event) =>
      event.type === 'reply-end' && (event.stop.unified === 'refusal' || event.stop.unified === 'content-filter'),
  );

function endOf(
  error: unknown,
  signal: CancelSignal,
  isFirst: boolean,
): { readonly outcome: AttemptOutcome; readonly fault?: ProviderFault } {
  if (signal.aborted) {
    // The whole time a request may take, and not one word: that is the provider's doing.
    const hasUsedUpTime = isFirst && signal.reason instanceof GatewayError && signal.reason.kind === 'timed-out';
    if (!hasUsedUpTime) return { outcome: 'aborted' };
    return { outcome: 'timed-out', fault: new ProviderFault('timed-out', signal.reason.message) };
  }
  if (error instanceof ProviderFault) return { outcome: error.kind, fault: error };
  return { outcome: error instanceof Untranslatable ? 'untranslatable' : 'aborted' };
}

const allResting = (): GatewayError =>
  new GatewayError('unavailable', 'Every endpoint that could answer is being left alone for a moment; retry.', {
    retryAfterMs: RETRY_SOON_MS,
  });
