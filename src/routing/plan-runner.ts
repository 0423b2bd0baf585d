import { Injectable } from '@nestjs/common';
import type { CancelSignal } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { traitsOf } from '../core/conversation/traits.js';
import { GatewayError, ModelRefusal, ProviderFault, Untranslatable } from '../core/errors.js';
import { FAULT_POLICIES } from '../core/fault-policies.js';
import { endingOf, type Ending } from '../core/generation/ending.js';
import type { Generation } from '../core/generation/generation.js';
import type { ModelRun } from '../core/generation/model-run.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import type { JsonObject } from '../core/json/json.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import type { FetchedMedia, RequiredMedia } from '../core/provider.js';
import type { Model } from '../core/routing/catalog.js';
import type { Cooling } from '../core/routing/health.js';
import { noRouteError } from '../core/routing/no-route-error.js';
import { mayCall } from '../core/routing/plan-route.js';
import type { Exclusion, Leg, PlannedLeg } from '../core/routing/plan.js';
import { Clock } from '../core/time.js';
import { HealthRegistry } from '../endpoint-health/health-registry.js';
import { NO_MEDIA } from '../providers/provider-client.js';
import { AttemptRunner, type StartedReply } from './attempt-runner.js';
import { healthKeyOf } from './call-telemetry.js';
import { errorOfAttempts, type FailedAttempt, type Waits } from './attempt-failures.js';
import { GenerationMedia } from './generation-media.js';
import type { RevealCredential } from './route-planner.js';

/** Whether models may be called now: checked before the first call of each in a run. */
export interface ModelLimiter {
  /** @returns true, or the error for a model without a free slot */
  acquire(generation: Generation, model: Model, prompt: MeasuredPrompt): true | Promise<true | GatewayError>;
}

/** A request in the form that one leg can take. */
export interface FittedRequest extends Pick<ModelRun, 'appliedEdits'> {
  readonly request: ModelRequest;
  /** Entries of the routing metadata's `pipeline`, reported where this leg answers. */
  readonly stages: readonly JsonObject[];
}

export type FitRequest = (request: ModelRequest, leg: Leg) => FittedRequest | Promise<FittedRequest>;

/** The inputs of a plan's run, besides the generation it belongs to. */
export interface RunInputs extends ModelRun {
  readonly reveal: RevealCredential;
  /** Absent: none of its models has limits. */
  readonly modelLimiter?: ModelLimiter | undefined;
  readonly signal: CancelSignal;
  /** Adapts the request to a leg. Absent: unchanged. */
  readonly fit?: FitRequest | undefined;
}

/** A call whose reply has begun. */
export interface StartedCall {
  readonly call: ProviderCall;
  readonly events: StartedReply;
  /** The changes to its request alone. */
  readonly stages: readonly JsonObject[];
}

/** Runs plans, as many as a generation needs: one leg after another until one answers. */
@Injectable()
export class PlanRunner {
  constructor(
    private readonly attempts: AttemptRunner,
    private readonly media: GenerationMedia,
    private readonly health: HealthRegistry,
    private readonly clock: Clock,
  ) {}

  /** @throws GatewayError when no leg answered, or the signal's reason */
  async run(generation: Generation, inputs: RunInputs): Promise<StartedCall> {
    const { plan } = inputs;
    if (plan.legs.length === 0) throw noRouteError(plan, this.clock.now(), inputs.request.fieldNames);
    const run = new PlanProgress(generation, inputs, this.health, this.clock);
    for (let index = 0; index < plan.legs.length; index++) {
      const answer = await this.tryLeg(run, index, false);
      if (answer) return answer;
    }
    // If no leg could be called, the legs in cool-down are tried.
    for (const index of run.callCount === 0 ? run.cooling : NONE) {
      const answer = await this.tryLeg(run, index, true);
      if (answer) return answer;
    }
    return run.answerWithRefusal();
  }

  /**
   * @param index of the leg in its plan
   * @param isLastResort it is called although it cools, unless its provider requested the pause
   * @returns its reply, where that is the answer
   */
  private async tryLeg(run: PlanProgress, index: number, isLastResort: boolean): Promise<StartedCall | undefined> {
    const { generation, inputs } = run;
    const { signal } = inputs;
    const leg = inputs.plan.legs[index]!;
    const may = run.allowsCall(index, leg);
    if (may !== true && !(await may)) return undefined;
    const fitting = inputs.fit?.(inputs.request, leg);
    const fitted = fitting instanceof Promise ? await fitting : fitting;
    const request = fitted?.request ?? inputs.request;
    const { hasImages, hasDocuments } = traitsOf(request.messages);
    const required = hasImages || hasDocuments ? this.media.requiredBy(leg, request) : NONE;
    // Media of a leg that is not called are not fetched.
    if (required.length > 0 && !isLastResort && run.pauseOf(leg) > 0) return run.defer(index);
    const media = required.length === 0 ? NO_MEDIA : await this.fetch(run, required);
    const key = healthKeyOf(leg);
    if (isLastResort && !this.health.admitLast(key)) return undefined;
    if (!isLastResort && !this.health.admit(key, generation.caller.keyHash)) return run.defer(index);
    if (signal.aborted) {
      run.dropRefusal();
      throw signal.reason;
    }
    run.callCount++;
    const call = generation.begin(fitted ? fittedRun(inputs, fitted) : inputs, leg);
    let events: StartedReply;
    try {
      events = await this.attempts.run(generation, call, media, inputs.reveal, signal);
      call.committedAt = performance.now();
    } catch (error) {
      run.failed(call, error, signal);
      if (signal.aborted) throw signal.reason;
      if (error instanceof ProviderFault || error instanceof Untranslatable) return undefined;
      throw error;
    }
    return run.replied({ call, events, stages: fitted?.stages ?? NONE });
  }

  /**
   * Fetches the caller's addresses that a call needs, before the endpoint is checked: the duration and failure of
   * fetching do not count for the provider.
   */
  private async fetch(run: PlanProgress, required: readonly RequiredMedia[]): Promise<FetchedMedia> {
    try {
      return await this.media.fetch(run.generation, required, run.inputs.signal);
    } catch (error) {
      run.dropRefusal();
      throw error;
    }
  }
}

const NONE: readonly never[] = [];

/** The progress of one plan's run. */
class PlanProgress {
  /** Number of calls; a target that could not carry the request was not called. */
  callCount = 0;
  /** Legs that were skipped while they cool, by index in the plan. */
  cooling: readonly number[] = NONE;
  /** Models that may be called, as one bit by index in the request: a plan has at most `MODELS_MAX`. */
  private admittedModels = 0;
  /** Models that no other endpoint can help: the request was at fault, or they refused, or have no free slot. */
  private exhaustedModels = 0;
  private failures: readonly FailedAttempt[] = NONE;
  /** The answer if no other leg has one. */
  private refused: StartedCall | undefined;
  /** The error of the first model without a free slot. */
  private limitRefusal: GatewayError | undefined;

  constructor(
    readonly generation: Generation,
    readonly inputs: RunInputs,
    private readonly health: HealthRegistry,
    private readonly clock: Clock,
  ) {}

  /** Whether the plan's bound, and the limits of its model, allow one more call. */
  allowsCall(index: number, { model, modelIndex }: PlannedLeg): boolean | Promise<boolean> {
    // A plan has at least one attempt for each of its models.
    if (this.callCount > 0 && !mayCall(this.inputs.plan, index, this.callCount)) return false;
    const bit = 1 << modelIndex;
    if (this.exhaustedModels & bit) return false;
    if (this.admittedModels & bit) return true;
    const admitted = this.inputs.modelLimiter?.acquire(this.generation, model, this.inputs.prompt) ?? true;
    if (admitted !== true) return this.awaitAdmission(admitted, modelIndex);
    this.admittedModels |= bit;
    return true;
  }

  /** The remaining pause of a leg's endpoint in milliseconds; 0: none. */
  pauseOf(leg: Leg): number {
    const cooling = this.coolingOf(leg);
    return cooling ? Math.max(0, cooling.until - this.clock.now()) : 0;
  }

  private coolingOf(leg: Leg): Cooling | undefined {
    return this.health.snapshot(this.generation.caller.keyHash).find(healthKeyOf(leg))?.cooling;
  }

  defer(index: number): undefined {
    this.cooling = [...this.cooling, index];
  }

  /** Called when a reply has begun. @returns it, where it is the answer */
  replied(begun: StartedCall): StartedCall | undefined {
    if (this.refused) this.dropRefusal();
    // After the client has disconnected, no further leg is called.
    const mayMoveOn = this.inputs.plan.movesOnRefusal && !begun.call.isUnseen;
    if (!mayMoveOn || !isRefusal(begun.events.beginning)) return this.answerWith(begun);
    this.exhaustedModels |= 1 << begun.call.leg.modelIndex;
    this.refused = begun;
    return undefined;
  }

  failed(call: ProviderCall, error: unknown, signal: CancelSignal): void {
    const { generation } = this;
    const { leg } = call;
    // A call that continued unseen may have failed by itself.
    const isCut = signal.aborted && !(call.isUnseen && error instanceof ProviderFault);
    // A leg that could not carry the request was not called: an earlier refusal still applies.
    if (isCut || !(error instanceof Untranslatable)) this.dropRefusal();
    if (isCut) generation.endCall(call, this.endingOfCut(signal.reason));
    else if (error instanceof Untranslatable) {
      this.callCount--;
      generation.endCall(call, 'untranslatable');
      this.failures = [...this.failures, { leg, error }];
    } else if (error instanceof ProviderFault) {
      generation.endCall(call, endingOf(error), error);
      this.failures = [...this.failures, { leg, error }];
      if (FAULT_POLICIES[error.kind].tryNext === 'model') this.exhaustedModels |= 1 << leg.modelIndex;
    } else generation.endCall(call, endingOf(error));
  }

  /** Another leg has answered, or failed: the earlier refusal is no longer the answer. */
  dropRefusal(): void {
    if (!this.refused) return;
    const { call, events } = this.refused;
    this.refused = undefined;
    call.observe(events.beginning);
    this.generation.endCall(call, 'refused');
    this.failures = [...this.failures, { leg: call.leg, error: new ModelRefusal() }];
    void events.return();
  }

  private answerWith(begun: StartedCall): StartedCall {
    const { generation } = this;
    if (begun.stages.length > 0) generation.pipeline = [...generation.pipeline, ...begun.stages];
    generation.answerWith(begun.call, begun.events.sentBody);
    return begun;
  }

  /**
   * The end of a run without an answer: the last refusal of a provider is the answer.
   * @throws GatewayError where there is none
   */
  answerWithRefusal(): StartedCall {
    if (this.refused) return this.answerWith(this.refused);
    const { fieldNames } = this.inputs.request;
    if (this.failures.length > 0 && this.callCount > 0) throw errorOfAttempts(this.failures, fieldNames, this.waits());
    // No leg was called because of the gateway's own limits, so these are reported.
    if (this.limitRefusal) throw this.limitRefusal;
    throw this.failures.length > 0 ? errorOfAttempts(this.failures, fieldNames) : this.allCoolingDown();
  }

  /** Every pause began between the plan and the call: the error is that of a plan without these legs. */
  private allCoolingDown(): GatewayError {
    const { plan, request } = this.inputs;
    const now = this.clock.now();
    const paused = plan.legs.map((leg): Exclusion => ({
      model: leg.model.id,
      tag: leg.tag,
      provider: leg.endpoint.provider.name,
      credential: leg.credential,
      reason: 'cooling-down',
      // A pause that has just ended has its trial under way.
      cooling: this.coolingOf(leg) ?? { until: now, by: 'rate-limit' },
    }));
    return noRouteError({ ...plan, legs: NONE, excluded: [...plan.excluded, ...paused] }, now, request.fieldNames);
  }

  private waits(): Waits {
    const now = this.clock.now();
    const { excluded } = this.inputs.plan;
    const leftOut = Math.min(...excluded.map(({ cooling }) => (cooling ? Math.max(0, cooling.until - now) : Infinity)));
    return { pauseOf: (leg) => this.pauseOf(leg), leftOut };
  }

  private async awaitAdmission(entering: Promise<true | GatewayError>, modelIndex: number): Promise<boolean> {
    const entered = await entering;
    if (entered === true) this.admittedModels |= 1 << modelIndex;
    else {
      this.exhaustedModels |= 1 << modelIndex;
      this.limitRefusal ??= entered;
    }
    return entered === true;
  }

  /** If the first provider used the whole time of the request without an event, the time-out is its fault. */
  private endingOfCut(reason: Error): Ending {
    const ending = endingOf(reason);
    if (ending !== 'deadline') return ending;
    // Over all runs: a later provider only had the remaining time.
    const called = this.generation.calls.filter(({ wasMade }) => wasMade);
    return called.length === 1 ? 'provider-out-of-time' : ending;
  }
}

/** The run of a leg that receives a reduced request. */
function fittedRun(run: ModelRun, fitted: FittedRequest): ModelRun {
  const { plan, prompt, purpose } = run;
  const appliedEdits = fitted.appliedEdits ?? run.appliedEdits;
  return { plan, request: fitted.request, prompt, purpose, ...(appliedEdits && { appliedEdits }) };
}

/** Whether the reply has already ended, in a refusal: nothing of it was sent to the caller. */
const isRefusal = (beginning: readonly ModelEvent[]): boolean =>
  beginning.some(
    (event) =>
      event.type === 'reply-end' && (event.stop.unified === 'refusal' || event.stop.unified === 'content-filter'),
  );
