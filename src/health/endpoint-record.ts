import type { FaultKind } from '../core/errors.js';
import type { Widening } from '../core/money/widening.js';
import type { EndpointHealth } from '../core/routing/health.js';
import type { Cooling } from '../core/routing/health.js';
import { CallerWindow, type CallOutcome } from './caller-window.js';
import { CoolDown, type CoolDownTimes, type Pause } from './cool-down.js';
import { LearntWidening } from './learnt-widening.js';
import { isFigure, RollingFigures, type CallFigures } from './rolling-figures.js';
import { SKETCH_SLICE_MS, SKETCH_SLICES } from './rolling-sketch.js';
import { CallWindow, type CallCounts } from './slice-ring.js';

/**
 * Outage: at least so many faults, and at least this share of the calls, within 30 seconds
 * (docs/reasons/routing.md#outage-and-pause).
 */
const OUTAGE_FAULTS_MIN = 3;
const OUTAGE_SHARE_MIN = 0.5;
export const OUTAGE_MS = 30_000;
const OUTAGE_SLICES = 6;
/** How often an outage that goes on is told to the replicas, milliseconds: well before they think it over. */
const OUTAGE_REPUBLISH_MS = 20_000;
/** Faults of one caller alone pause the endpoint for that one alone; most callers for whom one is paused so. */
const OWN_PAUSES_MAX = 64;
/** So many calls that failed one after another: an endpoint, or a provider, does not do well. Chosen. */
export const FAILURES_IN_A_ROW_MIN = 5;
/** The faults that all callers see are those of at least so many. */
const CALLERS_MIN = 2;
/** How old a view may be while nothing but the figures has changed, in milliseconds. */
export const VIEW_MS = 1_000;

/** How its calls went over longer times, for whoever looks at the catalogue: routing never asks. */
export const HALF_HOUR_SLICE_MS = 2 * 60_000;
export const HALF_HOUR_SLICES = 15;
export const HALF_HOUR_MS = HALF_HOUR_SLICE_MS * HALF_HOUR_SLICES;
export const DAY_SLICE_MS = 60 * 60_000;
const DAY_SLICES = 24;

/** Whose call it was. */
export interface CallOrigin {
  /** The key's hash; absent: of nobody in particular, who counts as one. */
  readonly caller?: string | undefined;
  /** When it began, epoch milliseconds. */
  readonly beganAt?: number | undefined;
}

export interface CallFailure {
  /** `doubtful-fault`: what was asked may have caused it. */
  readonly by: 'fault' | 'doubtful-fault' | 'rate-limit';
  /** The provider's own hint. */
  readonly retryAfterMs?: number;
  /** What it was, for whoever looks at the provider. Absent: nothing is kept of it. */
  readonly fault?: { readonly kind: FaultKind; readonly status?: number };
}

/**
 * How an endpoint does, as all see it, for whoever looks at it: routing goes by `EndpointHealth`. `failing`: in outage,
 * paused for its faults, at least three calls and half of the last five minutes' have failed, or the last five calls
 * have; `rate-limited`: left alone, for some caller at least, because it has refused too many calls, or the last five
 * failed and the last of them was refused so; `operational`: it has answered within half an hour; `unknown`: none of
 * these.
 */
export type EndpointCondition = 'operational' | 'rate-limited' | 'failing' | 'unknown';

/** Calls, and how many of them failed, by how long ago. Refusals for too many calls are neither. */
export interface Uptime {
  readonly last5m: CallCounts;
  readonly last30m: CallCounts;
  readonly last1d: CallCounts;
}

/** A pause that was begun or made longer. */
export interface BegunPause {
  /** For whom; absent: for all. */
  readonly caller?: string;
  readonly pause: Pause;
}

/** Who stands for those who are not told apart. */
export const ANYBODY = 'anybody';

const NOBODY: readonly never[] = [];

/**
 * Why an endpoint is not called in its turn: it pauses for all, it is out for all, or it pauses for callers whose own
 * calls fail.
 */
export type Trouble = 'paused' | 'out' | 'paused_for_some';

/**
 * What is known of one endpoint under one credential: its figures, its faults, and whether it is being left
 * alone, by all or by one caller (docs/decisions/0041-cool-down-by-rate.md). In the figures that are told, a refusal
 * for too many calls is neither a call nor a fault: the endpoint is well. Times are epoch milliseconds.
 */
export class EndpointRecord {
  /** Made with the first pause: most endpoints never have one. */
  private coolDown: CoolDown | undefined;
  /** Those that hold for one caller alone. */
  private readonly ownCoolDowns = new Map<string, CoolDown>();
  /** True from its first pause on: until then it admits every call, and none is a trial. */
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
  /** While replies have gone beyond their bounds of late: those of most endpoints never do. */
  private learnt: LearntWidening | undefined;
  private outElsewhereUntil = -Infinity;
  /** When the replicas were told last that it is out; undefined while they need not think so. */
  private publishedOutAt: number | undefined;
  private view: EndpointHealth | undefined;
  private viewedAt = 0;
  private viewEndsAt = 0;

  constructor(private readonly times: CoolDownTimes) {}

  /**
   * As of now in all that decides whether it may be called; figures may be `VIEW_MS` old.
   * @param caller who asks; absent: as all see it
   */
  health(now: number, caller?: string): EndpointHealth {
    const { view } = this;
    // As of nearly every endpoint that is in use: nothing is wrong with it for anybody.
    const isWell = this.ownCoolDowns.size === 0 && !this.learnt && !this.recent.hasFaults(now);
    if (isWell && view && now < this.viewEndsAt && now >= this.viewedAt) return view;
    return this.lookFor(now, caller);
  }

  private lookFor(now: number, caller: string | undefined): EndpointHealth {
    const own = caller === undefined ? undefined : this.ownCooling(caller, now);
    const isOut = caller !== undefined && this.isOutFor(caller, now);
    if (own || isOut || this.learnt) return this.look(now, own, isOut, caller);
    if (this.view && now < this.viewEndsAt && now >= this.viewedAt) return this.view;
    this.viewedAt = now;
    this.viewEndsAt = Math.min(now + VIEW_MS, this.coolDown?.changesAt(now) ?? Infinity);
    return (this.view = this.look(now));
  }

  /** How its calls went, over each time that is looked back. */
  uptime(now: number): Uptime {
    return { last5m: this.longer.counts(now), last30m: this.halfHour.counts(now), last1d: this.day.counts(now) };
  }

  /** The gravest that there is; undefined: it is called in its turn. */
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

  admit(now: number, caller = ANYBODY): boolean {
    if (!this.coolDown && this.ownCoolDowns.size === 0) return true;
    const own = this.ownCoolDowns.get(caller);
    if (own?.cooling(now)) return false;
    if (this.coolDown && !this.coolDown.admit(now, caller)) return false;
    own?.admit(now, caller);
    this.view = undefined;
    return true;
  }

  /** Asks to make a call although it cools, for nothing else is left. */
  admitLast(now: number): boolean {
    return this.coolDown?.admitLast(now) ?? true;
  }

  /** True while nothing has answered this caller since the last pause: a call that is admitted now is its trial. */
  isUnproven(caller = ANYBODY): boolean {
    return this.coolDown?.isUnproven === true || this.ownCoolDowns.get(caller)?.isUnproven === true;
  }

  /** @returns for whom this ended a cool-down, undefined standing for all */
  began(now: number, { caller = ANYBODY, beganAt }: CallOrigin = {}): readonly (string | undefined)[] {
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

  /** @returns for whom this ended a cool-down, undefined standing for all */
  succeeded(figures: CallFigures | undefined, now: number, origin: CallOrigin = {}): readonly (string | undefined)[] {
    this.count('success', origin, now);
    if (figures) this.figures.add(figures, now);
    return this.hasPaused ? this.began(now, origin) : NOBODY;
  }

  /** @returns the pause that this began or made longer */
  failed({ by, retryAfterMs = 0 }: CallFailure, now: number, origin: CallOrigin = {}): BegunPause | undefined {
    this.view = undefined;
    const { caller = ANYBODY } = origin;
    const hintMs = isFigure(retryAfterMs) ? retryAfterMs : 0;
    this.count(OUTCOMES[by], origin, now);
    const cause = by === 'rate-limit' ? 'rate-limit' : 'faults';
    // Whichever pause it was the trial of: the place is free, also where it says nothing of that one.
    const own = this.ownCoolDowns.get(caller);
    this.coolDown?.releaseOf(caller);
    own?.release();
    // The provider's own wish is for all who use this credential.
    const isAsked = by === 'rate-limit' && hintMs > 0;
    const isOverTrial = this.coolDown?.isUnproven === true && !this.recent.isFarAbove(caller, now);
    const { failedBy } = this.coolDown ?? {};
    // However long the pause: what the others saw may be older than all that is counted.
    const isAgain = failedBy === caller;
    if (isAsked || (!isAgain && (isOverTrial || this.isOutForAll(now)))) {
      // Where nobody else is there to try it, the same caller may.
      const isShared = failedBy !== undefined || this.recent.hasOthers(caller, now);
      const pause = this.sharedCoolDown().begin(cause, hintMs, now, isShared ? caller : undefined);
      return pause && { pause };
    }
    if (!own && !isAgain && by !== 'rate-limit' && !this.isOutFor(caller, now)) return undefined;
    const pause = (own ?? this.addOwn(caller)).begin(cause, hintMs, now);
    return pause && { caller, pause };
  }

  /** A reply of this caller went beyond its bound. */
  exceeded(by: Widening, now: number, caller = ANYBODY): void {
    (this.learnt ??= new LearntWidening()).learn(caller, by, now);
    this.view = undefined;
  }

  released(caller = ANYBODY): void {
    this.coolDown?.release();
    this.ownCoolDowns.get(caller)?.release();
    this.view = undefined;
  }

  /**
   * Another replica paused it, or with undefined: a call of another replica succeeded after the pause.
   * @param caller for whom alone
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

  /** Another replica sees it out until then, or with undefined: no longer. */
  adoptOutage(until: number | undefined, now: number): void {
    this.outElsewhereUntil = until === undefined ? -Infinity : Math.min(until, now + OUTAGE_MS);
    this.publishedOutAt = undefined;
    this.view = undefined;
  }

  /** What the replicas should be told after a call, once: that it is out as seen from here, or no longer. */
  outageChange(now: number): 'out' | 'over' | undefined {
    // While it is well here there is nothing to take back: this is asked after each call.
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

  /** Also where one caller alone uses it, whose faults are not those of all. */
  private failsMostly(now: number): boolean {
    const { calls, faults } = this.longer.counts(now);
    return isOutage(calls, faults);
  }

  private isLimitedForSome(now: number): boolean {
    for (const own of this.ownCoolDowns.values()) if (own.cooling(now)?.by === 'rate-limit') return true;
    return false;
  }

  /** @param own the pause of the caller who asks, and whether it is out for that one */
  private look(now: number, own?: Cooling, isOutForCaller = false, caller?: string): EndpointHealth {
    const widening = this.learnt?.at(now, caller);
    if (this.learnt?.isEmpty) this.learnt = undefined;
    const { calls, faults } = this.longer.counts(now);
    const cooling = laterOf(this.coolDown?.cooling(now), own);
    // Percentiles are put together when they are asked for: most plans ask for none.
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

  private count(outcome: CallOutcome, { caller = ANYBODY }: CallOrigin, now: number): void {
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
