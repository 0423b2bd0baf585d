import type { Cooling } from '../core/routing/health.js';
import { HOUR_MS } from '../core/time.js';

/** Longest pause a provider's hint can ask for: one hour, in milliseconds. */
export const HINT_MS_MAX = HOUR_MS;
/** Past so many doublings every pause has its greatest length. */
export const STREAK_MAX = 30;

/** A pause, and how many there were in a row before it. Replicas share it in this form. */
export interface Pause extends Omit<Cooling, 'isFirm'> {
  readonly streak: number;
  /** Until when the provider asked for it, epoch milliseconds; absent: it did not. */
  readonly firmUntil?: number;
  /**
   * The caller whose failure was the last to begin it or to make it longer, where others use the endpoint as well:
   * somebody else's is needed to make it longer still.
   */
  readonly failedBy?: string;
}

export interface CoolDownTimes {
  /** The first pause where the provider gives no hint, milliseconds; each further one in a row is twice as long. */
  readonly baseMs: number;
  /** Longest pause of those. */
  readonly maxMs: number;
  /** How long the trial after a pause may take before it counts as lost. */
  readonly trialMs: number;
}

/**
 * Whether an endpoint may be called. After a pause one call is admitted as a trial: it ends the cool-down, or begins
 * the next and longer pause. A trial that never comes back holds its place no longer than a call may take.
 */
export class CoolDown {
  private pause: Pause | undefined;
  private pausedAt = -Infinity;
  private trialEndsAt = -Infinity;
  private trialCaller: string | undefined;

  constructor(private readonly times: CoolDownTimes) {}

  /** The pause, while it lasts and while its trial is under way. */
  cooling(now: number): Cooling | undefined {
    if (!this.pause || (now >= this.pause.until && now >= this.trialEndsAt)) return undefined;
    const { until, by } = this.pause;
    return this.isFirm(now) ? { until, by, isFirm: true } : { until, by };
  }

  /** When `cooling` answers otherwise although nothing happened. */
  changesAt(now: number): number {
    if (!this.pause) return Infinity;
    if (this.isFirm(now)) return this.pause.firmUntil!;
    return now < this.pause.until ? this.pause.until : now < this.trialEndsAt ? this.trialEndsAt : Infinity;
  }

  /** True from the first pause on until a call has succeeded after the last. */
  get isUnproven(): boolean {
    return this.pause !== undefined;
  }

  /** Asks to make a call; the one that is admitted after a pause is its trial. */
  admit(now: number, caller?: string): boolean {
    if (!this.pause) return true;
    if (this.cooling(now) || this.isBarred(caller, now)) return false;
    this.trialEndsAt = now + this.times.trialMs;
    this.trialCaller = caller;
    return true;
  }

  /** Asks to make a call although it cools, for nothing else is left: only what the provider asked for is kept to. */
  admitLast(now: number): boolean {
    return !this.isFirm(now);
  }

  /**
   * A call that failed begins a pause. One from before that fails within it can only make it longer.
   * @param hintMs the provider's own wish, which replaces our pause, be it shorter or longer; 0: it gave none. A wish
   *   behind a 429 is kept to whatever else is left
   * @param caller whose call it was, where others may try it next (`Pause.failedBy`)
   * @returns the pause, or undefined where the one there is lasts as long
   */
  begin(by: Cooling['by'], hintMs: number, now: number, caller?: string): Pause | undefined {
    const { pause } = this;
    const isWithin = pause !== undefined && now < pause.until;
    const streak = !pause ? 0 : isWithin ? pause.streak : Math.min(pause.streak + 1, STREAK_MAX);
    const ownMs = Math.min(this.times.maxMs, this.times.baseMs * 2 ** streak);
    const until = now + (hintMs > 0 ? Math.min(hintMs, HINT_MS_MAX) : ownMs);
    const firmUntil = by === 'rate-limit' && hintMs > 0 ? until : pause?.firmUntil;
    if (isWithin && until <= pause.until && firmUntil === pause.firmUntil) return undefined;
    const failedBy = caller ?? pause?.failedBy;
    const isLonger = !isWithin || until > pause.until;
    const { until: end, by: cause } = isLonger ? { until, by } : pause;
    return this.start(
      {
        until: end,
        by: cause,
        streak,
        ...(firmUntil !== undefined && { firmUntil }),
        ...(failedBy !== undefined && { failedBy }),
      },
      now,
    );
  }

  /**
   * @param beganAt when the call did, epoch milliseconds. Within a pause that nobody asked for, one that began in it
   *   tells that the endpoint is well; of any other, success says nothing of the time it was given for
   * @returns true when this ended the cool-down
   */
  succeed(now: number, beganAt?: number): boolean {
    if (!this.pause) return false;
    const isProof = now >= this.pause.until || (!this.isFirm(now) && beganAt !== undefined && beganAt > this.pausedAt);
    if (isProof) this.end();
    return isProof;
  }

  /** Frees the place of a trial that had no outcome. */
  release(): void {
    this.trialEndsAt = -Infinity;
  }

  /** Frees the place of the trial where it is this caller's. */
  releaseOf(caller: string): void {
    if (this.trialCaller === caller) this.release();
  }

  /** Whose failure is the last that it rests on; undefined: nobody's in particular. */
  get failedBy(): string | undefined {
    return this.pause?.failedBy;
  }

  /** Another replica's pause: of two the later end counts. */
  adopt(pause: Pause, now: number): void {
    if (!this.pause || pause.until > this.pause.until) this.start(pause, now);
  }

  /** Ended, here or by another replica. */
  end(): void {
    this.pause = undefined;
    this.trialEndsAt = -Infinity;
  }

  /** Whose trial failed leaves the next one to others, for as long as the pause was. */
  private isBarred(caller: string | undefined, now: number): boolean {
    const { pause } = this;
    if (!pause || pause.streak === 0 || pause.failedBy === undefined || pause.failedBy !== caller) return false;
    return now < 2 * pause.until - this.pausedAt;
  }

  private isFirm(now: number): boolean {
    return this.pause?.firmUntil !== undefined && now < this.pause.firmUntil;
  }

  private start(pause: Pause, now: number): Pause {
    this.trialEndsAt = -Infinity;
    this.pausedAt = now;
    return (this.pause = pause);
  }
}
