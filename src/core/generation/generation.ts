import type { Caller } from '../caller.js';
import type { ParsedFile } from '../conversation/parsed-file.js';
import type { ModelRequest } from '../conversation/request.js';
import { addUsage, NO_USAGE, type ConsultationKind, type Usage } from '../conversation/usage.js';
import type { ProviderFault } from '../errors.js';
import type { GenerationId } from '../ids.js';
import type { Json, JsonObject } from '../json/json.js';
import type { Bill } from '../money/bill.js';
import type { PicoUsd } from '../money/credits.js';
import type { Plan, PlannedLeg } from '../routing/plan.js';
import type { Warning } from '../warning.js';
import type { RouteInputs } from '../routing/route-inputs.js';
import type { AttemptOutcomeView } from '../routing/router-metadata.js';
import type { WebRequest } from '../extension.js';
import type { ToolFailure } from '../tool.js';
import { ENDINGS, endingOf, faultOf, type Ending, type EndingName } from './ending.js';
import type { CachedAnswer, CacheOutcome, CacheTerms } from './cached-answer.js';
import type { ModelRun } from './model-run.js';
import { ProviderCall } from './provider-call.js';

/** Identifies the HTTP request of a generation, for tracing. */
export interface RequestOrigin {
  /** Id of the HTTP request. */
  readonly requestId: string;
  /** Headers of the same names, unchanged (https://www.w3.org/TR/trace-context/, read 2026-11-26). */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** Inputs of a new generation. */
export interface GenerationStart {
  /** Absent: a new one is made. */
  readonly id?: GenerationId;
  /** The caller's request, before plugins and guardrails change it. */
  readonly request: ModelRequest;
  readonly caller: Caller;
  /** The face that received it. */
  readonly api: 'messages' | 'chat' | 'responses' | 'embeddings' | 'rerank';
  /** Absent: it has no HTTP request. */
  readonly origin?: RequestOrigin | undefined;
  /** Absent: the response cache takes no part in it. */
  readonly cache?: CacheTerms | undefined;
  /** Observes it from the start, before all other observers. */
  readonly observer?: GenerationObserver | undefined;
}

/** A call of a tool that this gateway runs, or a call that a plugin made to an external service. */
export interface ToolUseRecord {
  /** A type of `tools[]` as it was requested, or the id of the plugin. */
  readonly type: string;
  /** No model called it: it is charged like a tool use, and is not counted as a call. */
  readonly isOfPlugin?: boolean;
  /** Why it was not run; absent: it ran. */
  readonly refusal?: ToolFailure;
  /** The web search or fetch that this use made; absent: none. */
  readonly web?: WebRequest;
  readonly milliseconds: number;
  readonly isError: boolean;
  /** Cost of the tool itself: models that it consulted are charged as calls. */
  readonly cost: PicoUsd;
  /** Cost of engines that were called but whose result is not charged: the operator pays it. */
  readonly lost: PicoUsd;
  /** Name of such an engine; absent: no engine with a price was called. */
  readonly engine?: string;
  /** Runs of consulted models, in their order; their calls are among those of the generation. */
  readonly consulted: readonly ModelRun[];
}

/** The phase of a generation. Phases only advance. */
export type Phase = 'accepted' | 'planned' | 'held' | 'calling' | 'answering' | 'ended';

/** The phases in which a hold covers its possible cost. */
const HELD_PHASES: ReadonlySet<Phase> = new Set(['held', 'calling', 'answering']);

/** Notified of the events of a generation; observers are called in the order of their addition and must not throw. */
export interface GenerationObserver {
  /** A call begins. */
  called?(generation: Generation, call: ProviderCall): void;
  /** The reply of the call is used: sent to the caller from here on, or consulted (`call.run.purpose`). */
  answered?(generation: Generation, call: ProviderCall): void;
  /** The caller has disconnected, and the call continues without a reader. */
  abandoned?(generation: Generation, call: ProviderCall): void;
  /** The call is over; its `ending` is set. */
  callEnded?(generation: Generation, call: ProviderCall): void;
  /** The generation is over. The end of the reply waits for the returned promise. */
  ended?(generation: Generation): Promise<void> | undefined | void;
  /**
   * Called if the generation completed, but its reply could not be delivered.
   * @param ending the kind of that failure
   */
  deliveryFailed?(generation: Generation, ending: Ending): void;
}

/** The plan that is run, and the inputs of that plan. */
export interface RouteDecision {
  readonly inputs: RouteInputs;
  /** The complete plan, including the legs that are removed because they cannot be paid for. */
  readonly plan: Plan;
  /** Entries of the request's lists that match nothing; absent: nothing is known. */
  readonly warnings?: readonly Warning[] | undefined;
}

/** The route of a consulted model. */
export interface ConsultedDecision {
  readonly purpose: ConsultationKind;
  /** The plan that is run, without the legs that cannot be paid for. */
  readonly plan: Plan;
  /** Set until it is stored. */
  decision: RouteDecision | undefined;
}

/**
 * One inference from its acceptance to its single ending: the plan, the calls, their usage and cost. Billing,
 * concurrency slots, telemetry, pins, decisions, the log line and metadata observe it; faces read it.
 */
export class Generation {
  readonly request: ModelRequest;
  readonly caller: Caller;
  readonly api: GenerationStart['api'];
  readonly origin: RequestOrigin | undefined;
  /** The plan of the caller's request; undefined before it is planned. Further runs have their own plans. */
  plan: Plan | undefined;
  /** Set until it is stored: a long reply must not retain the inputs of its plan. */
  decision: RouteDecision | undefined;
  /** The warnings of its decision, which is released earlier. */
  warnings: readonly Warning[] | undefined;
  /** The routes of the consulted models, in the order of their calls. */
  readonly consulted: ConsultedDecision[] = [];
  /** Stages of plugins and guardrails that inspected or changed the request, for the routing metadata. */
  pipeline: readonly JsonObject[] = [];
  /** Files that were converted to text, for the caller to send back. */
  files: readonly ParsedFile[] = [];
  /** All calls in the order in which they began, including those that were not sent in the end. */
  readonly calls: ProviderCall[] = [];
  /** Uses of this gateway's tools and purchases of plugins, ordered by their first charge or their end. */
  readonly toolUses: ToolUseRecord[] = [];
  /** The latest call whose reply the caller receives. */
  answer: ProviderCall | undefined;
  /** When the first such reply began (`performance.now()`). */
  committedAt: number | undefined;
  /** The charge to the caller. Undefined before the end, and where nothing was answered. */
  bill: Bill | undefined;
  /** The charged usage, estimates included. Known after the end. */
  charged: Usage | undefined;
  /**
   * The shortened body that the answering provider received; it never contains the credential. Absent: it was not
   * requested.
   */
  upstreamBody: Json | undefined;
  /**
   * Keys that are added at the end of the reply or of its failure; an observer may set them when it is notified of the
   * end.
   */
  extras: JsonObject = NO_EXTRAS;
  /** The answer that the response cache gave again, in place of `answer`. */
  cached: CachedAnswer | undefined;
  /** The response cache's result. Undefined: the cache is not used, or has no result yet. */
  cache: CacheOutcome | undefined;
  ending: Ending | undefined;
  /** Whether recording the charge failed: the reply must then not end as a complete one. */
  isUnrecorded = false;
  /** Why a completed reply could not be delivered. */
  undelivered: Ending | undefined;
  readonly beganAt = performance.now();
  private readonly observers: GenerationObserver[] = [];
  /** The phase, or the last one before the end. */
  private reached: Exclude<Phase, 'ended'> = 'accepted';
  private isRefusedByPolicy = false;
  private settled: Promise<void> | undefined;

  constructor(
    readonly id: GenerationId,
    { request, caller, api, origin, observer }: GenerationStart,
  ) {
    this.request = request;
    this.caller = caller;
    this.api = api;
    this.origin = origin;
    if (observer) this.observers.push(observer);
  }

  get phase(): Phase {
    return this.ending === undefined ? this.reached : 'ended';
  }

  /** Whether its possible cost was reserved. */
  get wasHeld(): boolean {
    return HELD_PHASES.has(this.reached);
  }

  /** Whether its route may be shown: requests that the gateway's own checks (money, limits) refuse have none. */
  get isRouted(): boolean {
    return this.wasHeld || this.isRefusedByPolicy;
  }

  /** Id of the model that answers, or the requested name before any does. */
  get model(): string {
    return this.answer?.leg.model.id ?? this.cached?.model ?? this.request.model;
  }

  /** Display name of the provider that answers; empty before any does. */
  get provider(): string {
    return this.answer?.leg.endpoint.provider.name ?? this.cached?.providerName ?? '';
  }

  get isByok(): boolean {
    return this.answer?.usesSharedCredential === false;
  }

  /** The context edits that this gateway applied to the answering call; undefined where its vendor applies them. */
  get appliedEdits(): ModelRun['appliedEdits'] {
    return this.answer?.run.appliedEdits;
  }

  /** Whether a call was sent to any provider. */
  get wasCalled(): boolean {
    for (const { wasMade } of this.calls) if (wasMade) return true;
    return false;
  }

  /** Whether any of its cost may be charged to the caller. */
  get isCharged(): boolean {
    return this.calls.some(({ isCallers }) => isCallers) || this.toolUses.some(({ cost }) => cost > 0n);
  }

  /** Whether a provider was called, or an engine of a tool or plugin has to be paid. */
  get hasCosts(): boolean {
    return this.wasCalled || this.hasPurchases;
  }

  /** Whether an engine of a tool or plugin has to be paid, by the caller or the operator. */
  get hasPurchases(): boolean {
    return this.toolUses.some(({ cost, lost }) => cost > 0n || lost > 0n);
  }

  /** Whether the operator pays for uses of engines that are not charged. */
  get hasLosses(): boolean {
    return this.toolUses.some(({ lost }) => lost > 0n);
  }

  /** The name of its ending in its record. Undefined while it runs. */
  get outcome(): EndingName | undefined {
    return this.ending && ENDINGS[this.ending].name;
  }

  /** The call that its record names: the one that answers, else the one that the caller abandoned. */
  get recorded(): ProviderCall | undefined {
    return this.answer ?? this.calls.findLast(({ isCallers }) => isCallers);
  }

  /** Resolves when everything that follows the end is done; at once before the end. */
  get settlement(): Promise<void> {
    return this.settled ?? DONE;
  }

  /** The sum over all calls that the caller pays for. */
  get usage(): Usage {
    let sum = NO_USAGE;
    for (const { isCallers, usage } of this.calls) if (isCallers) sum = addUsage(sum, usage);
    return sum;
  }

  observe(...observers: readonly GenerationObserver[]): void {
    this.observers.push(...observers);
  }

  planned(decision: RouteDecision, pipeline: readonly JsonObject[]): void {
    this.decision = decision;
    this.plan = decision.plan;
    if (decision.warnings) this.warnings = decision.warnings;
    this.pipeline = pipeline;
    this.reached = 'planned';
  }

  /** The caller's own policies refuse the plan: the caller may see its route. */
  refusedByPolicy(): void {
    this.isRefusedByPolicy = true;
  }

  /** Records that the highest cost is reserved. @param plan without the legs that cannot be paid for */
  held(plan: Plan): void {
    this.plan = plan;
    this.reached = 'held';
  }

  /** Must not be called after the end: the call would be neither ended nor paid. */
  begin(run: ModelRun, leg: PlannedLeg): ProviderCall {
    if (this.ending !== undefined) throw new Error('A call was begun in a generation that has ended.');
    const call = new ProviderCall(this.calls.length, run, leg);
    this.calls.push(call);
    if (this.reached !== 'answering') this.reached = 'calling';
    for (const observer of this.observers) observer.called?.(this, call);
    return call;
  }

  /**
   * The reply of this call is used, for the purpose of its run. Its `committedAt` is set.
   * @param sentBody the body that its provider received, where the caller requested it
   */
  answerWith(call: ProviderCall, sentBody?: Json): void {
    call.answers = true;
    if (call.run.purpose === 'answer') {
      this.answer = call;
      this.committedAt ??= call.committedAt;
      this.upstreamBody = sentBody;
      this.reached = 'answering';
    }
    for (const observer of this.observers) observer.answered?.(this, call);
  }

  /**
   * The caller has disconnected, and the provider bills the whole call: it continues, and its end ends the generation.
   */
  runOnUnseen(call: ProviderCall): void {
    call.isUnseen = true;
    for (const observer of this.observers) observer.abandoned?.(this, call);
  }

  /** Resolves when no consulted model continues without a reader. Undefined: none does. */
  unseenConsultations(): Promise<void> | undefined {
    const isOver = (): boolean =>
      !this.calls.some(({ isUnseen, ending, run }) => isUnseen && ending === undefined && run.purpose !== 'answer');
    if (isOver()) return undefined;
    return new Promise((resolve) => this.observe({ callEnded: () => isOver() && resolve() }));
  }

  /** Has no effect on a call that has ended. */
  endCall(call: ProviderCall, ending: Ending, fault?: ProviderFault): void {
    if (call.ending !== undefined) return;
    call.ending = ending;
    call.endedAt = performance.now();
    call.fault = fault;
    for (const observer of this.observers) observer.callEnded?.(this, call);
  }

  /**
   * Ends the generation, and every open call with the same ending. Only the first ending counts.
   * @param reason what was thrown, where it failed
   * @returns when everything that follows is done; the end of the reply waits for it
   * @throws the first error of an observer, after all observers were notified
   */
  end(ending: Ending, reason?: unknown): Promise<void> {
    if (this.settled) return this.settled;
    this.settled = DONE;
    const failures: unknown[] = [];
    const fault = reason === undefined ? undefined : faultOf(reason);
    for (const call of this.calls) {
      try {
        this.endCall(call, ending, fault);
      } catch (error) {
        failures.push(error);
      }
    }
    this.ending = ending;
    for (const observer of this.observers) {
      // Every observer is notified even if one throws: one of them settles the money.
      try {
        const done = observer.ended?.(this);
        if (done) this.settled = this.settled === DONE ? done : Promise.all([this.settled, done]).then(nothing);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return this.settled;
  }

  /** Ends it with the ending of a thrown reason. */
  fail(reason: unknown): Promise<void> {
    return this.end(endingOf(reason), reason);
  }

  /**
   * Notes that the reply could not be delivered completely. Ends the generation if it has not ended. One that ended as
   * completed stays so in its record and charge, which were settled before the end of the reply was sent and state what
   * the provider delivered. Observers are notified of the failure once, for the log line.
   * @param reason what was thrown
   */
  failDelivery(reason: unknown): void {
    if (this.ending === undefined) void this.fail(reason);
    else if (this.ending === 'completed' && this.undelivered === undefined) {
      this.undelivered = endingOf(reason);
      for (const observer of this.observers) observer.deliveryFailed?.(this, this.undelivered);
    }
  }

  /** The calls that were sent, with their statuses. */
  attempts(): readonly AttemptOutcomeView[] {
    return this.callsMade();
  }

  /** @param plan only calls of this plan */
  callsMade(plan?: Plan): readonly ProviderCall[] {
    const made: ProviderCall[] = [];
    for (const call of this.calls) {
      if (call.wasMade && (!plan || call.run.plan === plan)) made.push(call);
    }
    return made;
  }
}

const NO_EXTRAS: JsonObject = {};
const DONE = Promise.resolve();
const nothing = (): void => undefined;
