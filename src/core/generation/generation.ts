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
import type { ModelRun } from './model-run.js';
import { ProviderCall } from './provider-call.js';

/** Where a generation comes from, for whoever looks for it. */
export interface RequestOrigin {
  /** Of the HTTP request. */
  readonly requestId: string;
  /** Headers of the same names, as they came (https://www.w3.org/TR/trace-context/, read 2026-11-26). */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** What a generation is begun with. */
export interface GenerationStart {
  /** As the caller asked. */
  readonly request: ModelRequest;
  readonly caller: Caller;
  /** The face it came through. */
  readonly api: 'messages' | 'chat';
  /** Absent: of no HTTP request. */
  readonly origin?: RequestOrigin | undefined;
  /** Observes it from its start, before all others. */
  readonly observer?: GenerationObserver | undefined;
}

/** A call of a tool that this gateway serves, or what a plugin asked of somebody outside. */
export interface ToolUseRecord {
  /** As it was asked for: a type of `tools[]`, or the id of the plugin. */
  readonly type: string;
  /** No model called it: it is charged as a tool's use is, and is no call of one. */
  readonly isOfPlugin?: boolean;
  /** Why it was not run; absent: it was. */
  readonly refusal?: ToolFailure;
  /** What it asked of the web; absent: nothing. */
  readonly web?: WebRequest;
  readonly milliseconds: number;
  readonly isError: boolean;
  /** Of the tool itself: models that it consulted are charged as calls. */
  readonly cost: PicoUsd;
  /** Of engines that were reached, and whose answer is not charged: the operator's. */
  readonly lost: PicoUsd;
  /** Name of such an engine; absent: none with a price was reached. */
  readonly engine?: string;
  /** In their order; whose calls are among those of the generation. */
  readonly consulted: readonly ModelRun[];
}

/** How far a generation has got. It only moves forward. */
export type Phase = 'accepted' | 'planned' | 'held' | 'calling' | 'answering' | 'ended';

/** The phases in which what it may cost is reserved. */
const HELD_PHASES: ReadonlySet<Phase> = new Set(['held', 'calling', 'answering']);

/** Who is told of a generation's way, in the order in which they were added. None is to throw. */
export interface GenerationObserver {
  /** A call begins. */
  called?(generation: Generation, call: ProviderCall): void;
  /** The call's reply is used: told from here on, or consulted (`call.run.purpose`). */
  answered?(generation: Generation, call: ProviderCall): void;
  /** The caller has left, and the call runs on unseen. */
  abandoned?(generation: Generation, call: ProviderCall): void;
  /** The call is over; its `ending` is set. */
  callEnded?(generation: Generation, call: ProviderCall): void;
  /** All is over. The last words wait for what is returned. */
  ended?(generation: Generation): Promise<void> | undefined | void;
  /** It ended as completed, and then its reply could not be delivered. @param ending what that failure is */
  deliveryFailed?(generation: Generation, ending: Ending): void;
}

/** Which plan is run, and what it was decided from. */
export interface RouteDecision {
  readonly inputs: RouteInputs;
  /** As it was made: before what cannot be paid for was left out. */
  readonly plan: Plan;
  /** What of the lists of the request fits nothing; absent: nothing is known to. */
  readonly warnings?: readonly Warning[] | undefined;
}

/** How a model that is consulted on the way was routed. */
export interface ConsultedDecision {
  readonly purpose: ConsultationKind;
  /** As it is run: without the legs that cannot be paid for. */
  readonly plan: Plan;
  /** Until it is kept. */
  decision: RouteDecision | undefined;
}

/**
 * One inference from its acceptance to its one ending: which plan, which calls, what they used and cost. Money, places,
 * telemetry, pins, decisions, log line and metadata observe it; faces read it.
 */
export class Generation {
  readonly request: ModelRequest;
  readonly caller: Caller;
  readonly api: GenerationStart['api'];
  readonly origin: RequestOrigin | undefined;
  /** How what the caller asked was routed; undefined before there is a plan. Further runs have plans of their own. */
  plan: Plan | undefined;
  /** Until it is kept: a long reply must not hold on to what it was decided from. */
  decision: RouteDecision | undefined;
  /** Those of its decision, which is not kept for as long. */
  warnings: readonly Warning[] | undefined;
  /** How each model was routed that was consulted on the way, in their order. */
  readonly consulted: ConsultedDecision[] = [];
  /** What plugins and guardrails did to the request. */
  pipeline: readonly JsonObject[] = [];
  /** Files that were turned into words, for the caller to hand back. */
  files: readonly ParsedFile[] = [];
  /** All calls in the order they were begun, those among them that were not made in the end. */
  readonly calls: ProviderCall[] = [];
  /** Uses of this gateway's tools and purchases of plugins, in the order of their first charge, or their end. */
  readonly toolUses: ToolUseRecord[] = [];
  /** The latest call whose reply the caller is told. */
  answer: ProviderCall | undefined;
  /** When the first such reply began, by `performance.now()`. */
  committedAt: number | undefined;
  /** What the caller is charged. Undefined before it ended, and where nothing was answered. */
  bill: Bill | undefined;
  /** What of its usage is charged, estimates included. Known when it has ended. */
  charged: Usage | undefined;
  /**
   * The body that the answering provider was sent, shortened, which never holds its credential. Absent: nobody wants
   * to see it.
   */
  upstreamBody: Json | undefined;
  /** Keys that are added where the reply or its failure ends; whoever observes it may set them when it does. */
  extras: JsonObject = NO_EXTRAS;
  ending: Ending | undefined;
  /** Its charge could be written nowhere, so that its reply is not to end as a whole one. */
  isUnrecorded = false;
  /** What became of a reply that was completed and could not be delivered. */
  undelivered: Ending | undefined;
  readonly beganAt = performance.now();
  private readonly observers: GenerationObserver[] = [];
  /** The phase, or the last one before its end. */
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

  /** Whether what it may cost was reserved. */
  get wasHeld(): boolean {
    return HELD_PHASES.has(this.reached);
  }

  /** Whether its route may be shown: what the gateway's own checks refuse (money, limits) has none. */
  get isRouted(): boolean {
    return this.wasHeld || this.isRefusedByPolicy;
  }

  /** Id of the model that answers, or, before anybody does, the name that was asked for. */
  get model(): string {
    return this.answer?.leg.model.id ?? this.request.model;
  }

  /** Display name of who answers; empty before anybody does. */
  get provider(): string {
    return this.answer?.leg.endpoint.provider.name ?? '';
  }

  get isByok(): boolean {
    return this.answer?.isShared === false;
  }

  /** What this gateway cleared of what the answering call asked; undefined where that was left to the vendor. */
  get appliedEdits(): ModelRun['appliedEdits'] {
    return this.answer?.run.appliedEdits;
  }

  /** Whether any provider was asked. */
  get wasCalled(): boolean {
    for (const { wasMade } of this.calls) if (wasMade) return true;
    return false;
  }

  /** Whether anything of it may be the caller's to pay. */
  get isCharged(): boolean {
    return this.calls.some(({ isCallers }) => isCallers) || this.toolUses.some(({ cost }) => cost > 0n);
  }

  /** Whether a provider was called, or an engine of a tool or plugin is to be paid. */
  get hasCosts(): boolean {
    return this.wasCalled || this.hasPurchases;
  }

  /** Whether an engine of a tool or plugin is to be paid, by whomever. */
  get hasPurchases(): boolean {
    return this.toolUses.some(({ cost, lost }) => cost > 0n || lost > 0n);
  }

  /** Whether the operator pays an engine for nothing. */
  get hasLosses(): boolean {
    return this.toolUses.some(({ lost }) => lost > 0n);
  }

  /** How it ended, in the words of its record. Undefined while it runs. */
  get outcome(): EndingName | undefined {
    return this.ending && ENDINGS[this.ending].name;
  }

  /** The call that its record names: the one that answers, or else the one that the caller left. */
  get recorded(): ProviderCall | undefined {
    return this.answer ?? this.calls.findLast(({ isCallers }) => isCallers);
  }

  /** Resolves when all that follows from its end is done. At once before that. */
  get settlement(): Promise<void> {
    return this.settled ?? DONE;
  }

  /** Of all calls that are the caller's. */
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

  /** Policies of its caller's refuse what was planned: the caller may see who would have been called. */
  refusedByPolicy(): void {
    this.isRefusedByPolicy = true;
  }

  /** What it may cost is reserved. @param plan without the legs that cannot be paid for */
  held(plan: Plan): void {
    this.plan = plan;
    this.reached = 'held';
  }

  /** Not to be asked after its end: nobody would end the call, nor pay for it. */
  begin(run: ModelRun, leg: PlannedLeg): ProviderCall {
    if (this.ending !== undefined) throw new Error('A call was begun in a generation that has ended.');
    const call = new ProviderCall(this.calls.length, run, leg);
    this.calls.push(call);
    if (this.reached !== 'answering') this.reached = 'calling';
    for (const observer of this.observers) observer.called?.(this, call);
    return call;
  }

  /**
   * This call's reply is used, for what its run is for. Its `committedAt` is set.
   * @param sentBody what its provider was sent, where somebody may want to see it
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

  /** Its caller has left this call, whose provider bills all of it: it runs on, and ends the generation by that. */
  runOnUnseen(call: ProviderCall): void {
    call.isUnseen = true;
    for (const observer of this.observers) observer.abandoned?.(this, call);
  }

  /** Resolves when no model that is consulted on the way runs on unseen. Undefined: none does. */
  unseenConsultations(): Promise<void> | undefined {
    const isOver = (): boolean =>
      !this.calls.some(({ isUnseen, ending, run }) => isUnseen && ending === undefined && run.purpose !== 'answer');
    if (isOver()) return undefined;
    return new Promise((resolve) => this.observe({ callEnded: () => isOver() && resolve() }));
  }

  /** Says nothing new of a call that has ended. */
  endCall(call: ProviderCall, ending: Ending, fault?: ProviderFault): void {
    if (call.ending !== undefined) return;
    call.ending = ending;
    call.endedAt = performance.now();
    call.fault = fault;
    for (const observer of this.observers) observer.callEnded?.(this, call);
  }

  /**
   * Ends it, and whatever call is still under way by the same ending, once: only the first ending counts.
   * @param reason what was thrown, where it failed
   * @returns when all that follows is done; the last words wait for it
   * @throws what the first of its observers threw, when all of them have been told
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
      // Whatever one of them does, the others are told: one of them has the money.
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

  /** Ends it by what was thrown. */
  fail(reason: unknown): Promise<void> {
    return this.end(endingOf(reason), reason);
  }

  /**
   * Its reply could not be delivered to its end. Ends it where it has not ended. One that has ended as completed stays
   * so, in its record and its charge: they are settled before the last words go out, and say what the provider
   * delivered. Observers are told of the failure, once: the log line and the caller say what became of the request.
   * @param reason what was thrown
   */
  failDelivery(reason: unknown): void {
    if (this.ending === undefined) void this.fail(reason);
    else if (this.ending === 'completed' && this.undelivered === undefined) {
      this.undelivered = endingOf(reason);
      for (const observer of this.observers) observer.deliveryFailed?.(this, this.undelivered);
    }
  }

  /** The calls that were made, with their statuses. */
  attempts(): readonly AttemptOutcomeView[] {
    return this.callsMade();
  }

  /** @param plan of the runs of this plan alone */
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
