import type { FaultKind } from '../core/errors.js';
import type { Widening } from '../core/money/widening.js';
import type { EndpointHealth } from '../core/routing/health.js';
import type { Cooling } from '../core/routing/health.js';
import { CallerWindow, type CallOutcome } from './caller-window.js';
import { CoolDown, type CoolDownTimes, type Pause } from './cool-down.js';
import { ObservedWidening } from './observed-widening.js';
import { isFigure, RollingFigures, type CallFigures } from './rolling-figures.js';
import { SKETCH_SLICE_MS, SKETCH_SLICES } from './rolling-sketch.js';
import { CallWindow, type CallCounts } from './slice-ring.js';

/**
 * Outage: at least this many faults, and at least this share of the calls, within 30 seconds
 * (docs/use/routing.md#health).
 */
const OUTAGE_FAULTS_MIN = 3;
const OUTAGE_SHARE_MIN = 0.5;
export const OUTAGE_MS = 30_000;
const OUTAGE_SLICES = 6;
/** How often a continuing outage is published to the replicas, milliseconds: well before they consider it over. */
const OUTAGE_REPUBLISH_MS = 20_000;
/** Faults of one caller alone pause the endpoint for that caller only. Most callers with such a pause. */
const OWN_PAUSES_MAX = 64;
/** This many consecutive failures mean that an endpoint, or a provider, is failing. Chosen. */
export const FAILURES_IN_A_ROW_MIN = 5;
/** Fewest callers whose faults count as faults for all. */
const CALLERS_MIN = 2;
/** How old a view may be while only the figures have changed, in milliseconds. */
export const VIEW_MS = 1_000;

/** Calls over longer times, for the catalogue: routing never reads them. */
export const HALF_HOUR_SLICE_MS = 2 * 60_000;
export const HALF_HOUR_SLICES = 15;
export const HALF_HOUR_MS = HALF_HOUR_SLICE_MS * HALF_HOUR_SLICES;
export const DAY_SLICE_MS = 60 * 60_000;
const DAY_SLICES = 24;

/** The origin of a call. */
export interface CallOrigin {
  /** Hash of the key; absent for no particular caller; all such calls count as one caller's. */
  readonly caller?: string | undefined;
  /** Start of the call, epoch milliseconds. */
  readonly beganAt?: number | undefined;
}

export interface CallFailure {
  /** `doubtful-fault`: the request may have caused it. */
  readonly by: 'fault' | 'doubtful-fault' | 'rate-limit';
  /** The provider's own hint. */
  readonly retryAfterMs?: number;
  /** The fault, for the view of the provider. Absent: it is not recorded there. */
  readonly fault?: { readonly kind: FaultKind; readonly status?: number };
}

/**
 * The state of an endpoint over all callers, for display: routing uses `EndpointHealth`.
 * - `failing`: it is in outage, or paused for its faults; or of the last five minutes at least three calls failed, and
 *   half of all; or the last five calls failed
 * - `rate-limited`: it is paused, at least for some caller, because it refused too many calls; or the last five calls
 *   failed, the last of them with such a refusal
 * - `operational`: it answered within the last half hour
 * - `unknown`: none of these
 */
export type EndpointCondition = 'operational' | 'rate-limited' | 'failing' | 'unknown';

/** Calls and failed calls, by how far they date back. Refusals for too many calls are neither. */
export interface Uptime {
  readonly last5m: CallCounts;
  readonly last30m: CallCounts;
  readonly last1d: CallCounts;
}

/** A pause that was begun or extended. */
export interface BegunPause {
  /** The caller it applies to; absent for all. */
  readonly caller?: string;
  readonly pause: Pause;
}

/** The name of all callers that are not counted separately. */
export const OTHER_CALLERS = 'anybody';

const NO_CALLERS: readonly never[] = [];

/**
 * Why an endpoint is ranked lower or skipped: paused for all callers, in outage for all callers, or paused for callers
 * whose own calls fail.
 */
export type Trouble = 'paused' | 'out' | 'paused_for_some';

/**
 * The state of one endpoint under one credential: its figures, its faults, and its pauses, for all or for one caller
 * (docs/contribute/decisions/0041-cool-down-by-rate.md). In reported figures a refusal for too many calls is neither a
 * call nor a fault: the endpoint works. Times are epoch milliseconds.
 */
export class EndpointRecord {
  /** Created with the first pause: most endpoints never have one. */
  private coolDown: CoolDown | undefined;
  /** Cool-downs that apply to one caller. */
  private readonly ownCoolDowns = new Map<string, CoolDown>();
  /** Whether there was a pause yet. Before the first one every call is admitted, and none is a trial. */
  hasPaused = false;
  private readonly recent = new CallerWindow(OUTAGE_MS / OUTAGE_SLICES, OUTAGE_SLICES);
  private readonly longer = new CallWindow(SKETCH_SLICE_MS, SKETCH_SLICES);
  private readonly halfHour = new CallWindow(HALF_HOUR_SLICE_MS, HALF_HOUR_SLICES);
  private readonly day = new CallWindow(DAY_SLICE_MS, DAY_SLICES);
  private readonly figures = new RollingFigures();
  private calledAt = -Infinity;
  private answeredAt = -Infinity;
  /** Since the last answer. */
  private failuresInARow = 0;
  private lastOutcome: CallOutcome = 'success';
  /** Present while replies have recently exceeded their bounds, which those of most endpoints never do. */
  private observedWidening: ObservedWidening | undefined;
  private outElsewhereUntil = -Infinity;
  /** When its outage was last published to the replicas; undefined while no outage is published. */
  private publishedOutAt: number | undefined;
  private view: EndpointHealth | undefined;
  private viewedAt = 0;
  private viewEndsAt = 0;

  constructor(private readonly times: CoolDownTimes) {}

  /**
   * Current in all that decides whether it may be called; figures may be `VIEW_MS` old.
   * @param caller the requesting caller; absent: the view over all callers
   */
  health(now: number, caller?: string): EndpointHealth {
    const { view } = this;
    // The case of nearly every endpoint in use: it works for all callers.
    const isWell = this.ownCoolDowns.size === 0 && !this.observedWidening && !this.recent.hasFaults(now);
    if (isWell && view && now < this.viewEndsAt && now >= this.viewedAt) return view;
    return this.healthFor(now, caller);
  }

  private healthFor(now: number, caller: string | undefined): EndpointHealth {
    const own = caller === undefined ? undefined : this.ownCooling(caller, now);
    const isOut = caller !== undefined && this.isOutFor(caller, now);
    if (own || isOut || this.observedWidening) return this.makeView(now, own, isOut, caller);
    if (this.view && now < this.viewEndsAt && now >= this.viewedAt) return this.view;
    this.viewedAt = now;
    this.viewEndsAt = Math.min(now + VIEW_MS, this.coolDown?.changesAt(now) ?? Infinity);
    return (this.view = this.makeView(now));
  }

  /** The counts of its calls over each period. */
  uptime(now: number): Uptime {
    return { last5m: this.longer.counts(now), last30m: this.halfHour.counts(now), last1d: this.day.counts(now) };
  }

  /** The gravest trouble; undefined where there is none. */
  trouble(now: number): Trouble | undefined {
    if (this.coolDown?.cooling(now)) return 'paused';
    if (this.isOut(now)) return 'out';
    for (const own of this.ownCoolDowns.values()) if (own.cooling(now)) return 'paused_for_some';
    return undefined;
  }

  condition(now: number): EndpointCondition {
    const cooling = this.coolDown?.cooling(now);
    const failsAlways = this.failuresInARow >= FAILURES_IN_A_ROW_MIN && now - this.calledAt < HALF_HOUR_MS;
    const isRefused = this.lastOutcome === 'limited';
    if (cooling?.by === 'faults' || this.isOut(now) || this.failsMostly(now) || (failsAlways && !isRefused))
      return 'failing';
    if (cooling || this.isLimitedForSome(now) || failsAlways) return 'rate-limited';
    return now - this.answeredAt < HALF_HOUR_MS ? 'operational' : 'unknown';
  }

  admit(now: number, caller = OTHER_CALLERS): boolean {
    if (!this.coolDown && this.ownCoolDowns.size === 0) return true;
    const own = this.ownCoolDowns.get(caller);
    if (own?.cooling(now)) return false;
    if (this.coolDown && !this.coolDown.admit(now, caller)) return false;
    own?.admit(now, caller);
    this.view = undefined;
    return true;
  }

  /** Requests permission for a call in spite of a pause, as the last resort. */
  admitLast(now: number): boolean {
    return this.coolDown?.admitLast(now) ?? true;
  }

  /** True while no call of this caller has succeeded since the last pause: a call that is admitted now is its trial. */
  isUnproven(caller = OTHER_CALLERS): boolean {
    return this.coolDown?.isUnproven === true || this.ownCoolDowns.get(caller)?.isUnproven === true;
  }

  /** @returns the callers whose cool-down this ended; undefined stands for all callers */
  began(now: number, { caller = OTHER_CALLERS, beganAt }: CallOrigin = {}): readonly (string | undefined)[] {
    const ended: (string | undefined)[] = [];
    if (this.coolDown?.succeed(now, beganAt) === true) {
      this.recent.forget();
      ended.push(undefined);
    }
    if (this.ownCoolDowns.get(caller)?.succeed(now, beganAt) === true) {
      this.ownCoolDowns.delete(caller);
      this.recent.forget(caller);
      ended.push(caller);
    }
    if (ended.length > 0) this.view = undefined;
    return ended;
  }

  /** @returns the callers whose cool-down this ended; undefined stands for all callers */
  succeeded(figures: CallFigures | undefined, now: number, origin: CallOrigin = {}): readonly (string | undefined)[] {
    this.count('success', origin, now);
    if (figures) this.figures.add(figures, now);
    return this.hasPaused ? this.began(now, origin) : NO_CALLERS;
  }

  /** @returns the pause that this began or extended */
  failed({ by, retryAfterMs = 0 }: CallFailure, now: number, origin: CallOrigin = {}): BegunPause | undefined {
    this.view = undefined;
    const { caller = OTHER_CALLERS } = origin;
    const hintMs = isFigure(retryAfterMs) ? retryAfterMs : 0;
    this.count(OUTCOMES[by], origin, now);
    const cause = by === 'rate-limit' ? 'rate-limit' : 'faults';
    // Frees the trial of either pause, also of one that this failure does not affect.
    const own = this.ownCoolDowns.get(caller);
    this.coolDown?.releaseOf(caller);
    own?.release();
    // A pause that the provider requests applies to all callers of this credential.
    const isHinted = by === 'rate-limit' && hintMs > 0;
    const isOverTrial = this.coolDown?.isUnproven === true && !this.recent.isFarAbove(caller, now);
    const { failedBy } = this.coolDown ?? {};
    // Independent of the length of the pause: the calls of the others may have left the window by now.
    const isAgain = failedBy === caller;
    if (isHinted || (!isAgain && (isOverTrial || this.isOutForAll(now)))) {
      // Without other callers the same caller may make the next trial.
      const isOfSeveralCallers = failedBy !== undefined || this.recent.hasOthers(caller, now);
      const pause = this.sharedCoolDown().begin(cause, hintMs, now, isOfSeveralCallers ? caller : undefined);
      return pause && { pause };
    }
    if (!own && !isAgain && by !== 'rate-limit' && !this.isOutFor(caller, now)) return undefined;
    const pause = (own ?? this.addOwn(caller)).begin(cause, hintMs, now);
    return pause && { caller, pause };
  }

  /** A reply to this caller exceeded its bound. */
  exceeded(by: Widening, now: number, caller = OTHER_CALLERS): void {
    (this.observedWidening ??= new ObservedWidening()).observe(caller, by, now);
    this.view = undefined;
  }

  released(caller = OTHER_CALLERS): void {
    this.coolDown?.release();
    this.ownCoolDowns.get(caller)?.release();
    this.view = undefined;
  }

  /**
   * Another replica paused it; or, with undefined, a call of another replica succeeded after the pause.
   * @param caller the only caller it applies to
   */
  adoptPause(pause: Pause | undefined, now: number, caller?: string): void {
    this.view = undefined;
    if (pause && caller === undefined) this.sharedCoolDown().adopt(pause, now);
    else if (pause) (this.ownCoolDowns.get(caller!) ?? this.addOwn(caller!)).adopt(pause, now);
    else {
      if (caller === undefined) this.coolDown?.end();
      else this.ownCoolDowns.delete(caller);
      this.recent.forget(caller);
    }
  }

  /** Another replica sees an outage until then; or, with undefined, no longer. */
  adoptOutage(until: number | undefined, now: number): void {
    this.outElsewhereUntil = until === undefined ? -Infinity : Math.min(until, now + OUTAGE_MS);
    this.publishedOutAt = undefined;
    this.view = undefined;
  }

  /** The change to publish to the replicas after a call, once: an outage as seen from here, or its end. */
  outageChange(now: number): 'out' | 'over' | undefined {
    // Called after each call: while the endpoint works here there is nothing to withdraw.
    if (!this.recent.hasFaults(now) && this.publishedOutAt === undefined) return undefined;
    const isOut = this.isOutForAll(now);
    if (isOut && now - (this.publishedOutAt ?? -Infinity) < OUTAGE_REPUBLISH_MS) return undefined;
    if (!isOut && this.publishedOutAt === undefined) return undefined;
    this.publishedOutAt = isOut ? now : undefined;
    return isOut ? 'out' : 'over';
  }

  private sharedCoolDown(): CoolDown {
    this.hasPaused = true;
    return (this.coolDown ??= new CoolDown(this.times));
  }

  private addOwn(caller: string): CoolDown {
    this.hasPaused = true;
    if (this.ownCoolDowns.size === OWN_PAUSES_MAX) {
      const [oldest] = this.ownCoolDowns.keys();
      this.ownCoolDowns.delete(oldest!);
    }
    const own = new CoolDown(this.times);
    this.ownCoolDowns.set(caller, own);
    return own;
  }

  private ownCooling(caller: string, now: number): Cooling | undefined {
    return this.ownCoolDowns.get(caller)?.cooling(now);
  }

  private isOut(now: number): boolean {
    return now < this.outElsewhereUntil || this.isOutForAll(now);
  }

  private isOutForAll(now: number): boolean {
    if (!this.recent.hasFaults(now)) return false;
    const { calls, faults, callers } = this.recent.shared(now);
    return callers >= CALLERS_MIN && isOutage(calls, faults);
  }

  private isOutFor(caller: string, now: number): boolean {
    if (!this.recent.hasFaults(now)) return false;
    const { calls, faults } = this.recent.own(caller, now);
    return isOutage(calls, faults);
  }

  /** True also where a single caller uses it, whose faults do not count for all. */
  private failsMostly(now: number): boolean {
    const { calls, faults } = this.longer.counts(now);
    return isOutage(calls, faults);
  }

  private isLimitedForSome(now: number): boolean {
    for (const own of this.ownCoolDowns.values()) if (own.cooling(now)?.by === 'rate-limit') return true;
    return false;
  }

  /** @param own the pause of the requesting caller, and whether it is in outage for that caller */
  private makeView(now: number, own?: Cooling, isOutForCaller = false, caller?: string): EndpointHealth {
    const widening = this.observedWidening?.at(now, caller);
    if (this.observedWidening?.isEmpty) this.observedWidening = undefined;
    const { calls, faults } = this.longer.counts(now);
    const cooling = laterOf(this.coolDown?.cooling(now), own);
    // Percentiles are computed on demand: most plans need none.
    const latency = once(() => this.figures.latency(now));
    const throughput = once(() => this.figures.throughput(now));
    return {
      isOut: isOutForCaller || this.isOut(now),
      ...(calls > 0 && { faultShare: faults / calls }),
      ...(cooling && { cooling }),
      ...(widening && { widening }),
      get latency() {
        return latency();
      },
      get throughput() {
        return throughput();
      },
    };
  }

  private count(outcome: CallOutcome, { caller = OTHER_CALLERS }: CallOrigin, now: number): void {
    this.calledAt = now;
    this.lastOutcome = outcome;
    if (outcome === 'success') {
      this.answeredAt = now;
      this.failuresInARow = 0;
    } else this.failuresInARow++;
    this.recent.record(caller, outcome, now);
    if (outcome === 'limited') return;
    const isFault = outcome !== 'success';
    this.longer.record(isFault, now);
    this.halfHour.record(isFault, now);
    this.day.record(isFault, now);
  }
}

const OUTCOMES: Readonly<Record<CallFailure['by'], CallOutcome>> = {
  fault: 'fault',
  'doubtful-fault': 'doubtful',
  'rate-limit': 'limited',
};

const isOutage = (calls: number, faults: number): boolean =>
  faults >= OUTAGE_FAULTS_MIN && faults >= calls * OUTAGE_SHARE_MIN;

function laterOf(one: Cooling | undefined, other: Cooling | undefined): Cooling | undefined {
  if (!one || !other) return one ?? other;
  const later = one.until >= other.until ? one : other;
  return one.isFirm || other.isFirm ? { ...later, isFirm: true } : later;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
