import type { EndpointHealth } from '../core/routing/health.js';
import { CoolDown, type CoolDownTimes, type Pause } from './cool-down.js';
import { LogScale } from './log-sketch.js';
import { RollingSketch, SKETCH_SLICE_MS, SKETCH_SLICES } from './rolling-sketch.js';
import { CallWindow, type CallCounts } from './slice-ring.js';

/**
 * Outage: at least so many faults, and at least this share of the calls, within 30 seconds
 * (docs/reasons/routing.md#outage-and-pause).
 */
export const OUTAGE_FAULTS_MIN = 3;
export const OUTAGE_SHARE_MIN = 0.5;
export const OUTAGE_MS = 30_000;
const OUTAGE_SLICES = 6;
/** How often an outage that goes on is told to the replicas, milliseconds: well before they think it over. */
const OUTAGE_REPUBLISH_MS = 20_000;
/** Faults in a row that begin a pause. */
export const FAULTS_IN_ROW_MAX = 2;
/** How old a view may be while nothing but the figures has changed, in milliseconds. */
export const VIEW_MS = 1_000;

/** How its calls went over longer times, for whoever looks at the catalogue: routing never asks. */
export const HALF_HOUR_SLICE_MS = 2 * 60_000;
export const HALF_HOUR_SLICES = 15;
export const DAY_SLICE_MS = 60 * 60_000;
export const DAY_SLICES = 24;

/** Seconds. */
const LATENCIES = new LogScale(0.001, 1_000);
/** Tokens per second. */
const THROUGHPUTS = new LogScale(0.1, 100_000);

/** What a call that succeeded showed, as far as it could be measured. */
export interface CallFigures {
  readonly secondsToFirstToken?: number;
  readonly tokensPerSecond?: number;
}

export interface CallFailure {
  readonly by: 'fault' | 'rate-limit';
  /** The provider's own hint. */
  readonly retryAfterMs?: number;
}

/** Calls, and how many of them failed, by how long ago. Refusals for too many calls are neither. */
export interface Uptime {
  readonly last5m: CallCounts;
  readonly last30m: CallCounts;
  readonly last1d: CallCounts;
}

/**
 * What is known of one endpoint under one credential: its figures, its faults, and whether it is being left
 * alone. A refusal for too many calls begins a pause, but is neither a call nor a fault: the endpoint is well.
 * Times are epoch milliseconds.
 */
export class EndpointRecord {
  /** Made with the first pause: most endpoints never have one. */
  private coolDown: CoolDown | undefined;
  private readonly recent = new CallWindow(OUTAGE_MS / OUTAGE_SLICES, OUTAGE_SLICES);
  private readonly longer = new CallWindow(SKETCH_SLICE_MS, SKETCH_SLICES);
  private readonly halfHour = new CallWindow(HALF_HOUR_SLICE_MS, HALF_HOUR_SLICES);
  private readonly day = new CallWindow(DAY_SLICE_MS, DAY_SLICES);
  private latencies: RollingSketch | undefined;
  private throughputs: RollingSketch | undefined;
  private faultsInRow = 0;
  private outElsewhereUntil = -Infinity;
  /** When the replicas were told last that it is out; undefined while they need not think so. */
  private publishedOutAt: number | undefined;
  private view: EndpointHealth | undefined;
  private viewedAt = 0;
  private viewEndsAt = 0;

  constructor(private readonly times: CoolDownTimes) {}

  /** As of now in all that decides whether it may be called; figures may be `VIEW_MS` old. */
  health(now: number): EndpointHealth {
    if (this.view && now < this.viewEndsAt && now >= this.viewedAt) return this.view;
    this.viewedAt = now;
    this.viewEndsAt = Math.min(now + VIEW_MS, this.coolDown?.changesAt(now) ?? Infinity);
    return (this.view = this.look(now));
  }

  /** How its calls went, over each time that is looked back. */
  uptime(now: number): Uptime {
    return { last5m: this.longer.counts(now), last30m: this.halfHour.counts(now), last1d: this.day.counts(now) };
  }

  admit(now: number): boolean {
    if (!this.coolDown) return true;
    const isAdmitted = this.coolDown.admit(now);
    if (this.coolDown.isUnproven) this.view = undefined;
    return isAdmitted;
  }

  /** True while nothing has answered since the last pause: a call that is admitted now is its trial. */
  get isUnproven(): boolean {
    return this.coolDown?.isUnproven ?? false;
  }

  /** @returns true when this ended a cool-down */
  began(now: number): boolean {
    if (!this.coolDown?.succeed(now)) return false;
    this.view = undefined;
    return true;
  }

  /** @returns true when this ended a cool-down */
  succeeded({ secondsToFirstToken, tokensPerSecond }: CallFigures, now: number): boolean {
    this.count(false, now);
    this.faultsInRow = 0;
    if (secondsToFirstToken !== undefined && isFigure(secondsToFirstToken)) {
      (this.latencies ??= new RollingSketch(LATENCIES)).add(secondsToFirstToken, now);
    }
    if (tokensPerSecond !== undefined && isFigure(tokensPerSecond)) {
      (this.throughputs ??= new RollingSketch(THROUGHPUTS)).add(tokensPerSecond, now);
    }
    return this.coolDown !== undefined && this.began(now);
  }

  /** @returns the pause that this began or made longer */
  failed({ by, retryAfterMs = 0 }: CallFailure, now: number): Pause | undefined {
    this.view = undefined;
    const hintMs = isFigure(retryAfterMs) ? retryAfterMs : 0;
    if (by === 'rate-limit') return this.begin('rate-limit', hintMs, now);
    this.count(true, now);
    this.faultsInRow++;
    const isBearable = this.faultsInRow < FAULTS_IN_ROW_MAX && !this.isUnproven;
    return isBearable ? undefined : this.begin('faults', hintMs, now);
  }

  released(): void {
    this.coolDown?.release();
    this.view = undefined;
  }

  /** Another replica paused it, or with undefined: a call of another replica succeeded after the pause. */
  adoptPause(pause: Pause | undefined): void {
    if (pause) {
      (this.coolDown ??= new CoolDown(this.times)).adopt(pause);
    } else {
      this.coolDown?.end();
      this.faultsInRow = 0;
    }
    this.view = undefined;
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
    if (this.faultsInRow === 0 && this.publishedOutAt === undefined) return undefined;
    const isOut = this.isOutHere(now);
    if (isOut && now - (this.publishedOutAt ?? -Infinity) < OUTAGE_REPUBLISH_MS) return undefined;
    if (!isOut && this.publishedOutAt === undefined) return undefined;
    this.publishedOutAt = isOut ? now : undefined;
    return isOut ? 'out' : 'over';
  }

  private begin(by: Pause['by'], hintMs: number, now: number): Pause | undefined {
    return (this.coolDown ??= new CoolDown(this.times)).begin(by, hintMs, now);
  }

  private isOutHere(now: number): boolean {
    const { calls, faults } = this.recent.counts(now);
    return faults >= OUTAGE_FAULTS_MIN && faults >= calls * OUTAGE_SHARE_MIN;
  }

  private look(now: number): EndpointHealth {
    const { calls, faults } = this.longer.counts(now);
    const cooling = this.coolDown?.cooling(now);
    // Percentiles are put together when they are asked for: most plans ask for none.
    const latency = once(() => this.latencies?.percentiles(now));
    const throughput = once(() => this.throughputs?.floors(now));
    return {
      isOut: now < this.outElsewhereUntil || this.isOutHere(now),
      ...(calls > 0 && { faultShare: faults / calls }),
      ...(cooling && { cooling }),
      get latency() {
        return latency();
      },
      get throughput() {
        return throughput();
      },
    };
  }

  private count(isFault: boolean, now: number): void {
    this.recent.record(isFault, now);
    this.longer.record(isFault, now);
    this.halfHour.record(isFault, now);
    this.day.record(isFault, now);
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

const isFigure = (value: number): boolean => Number.isFinite(value) && value >= 0;
