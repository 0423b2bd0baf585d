import type { Cooling } from '../core/routing/health.js';
import { HOUR_MS } from '../core/time.js';

/** Longest pause that a provider's hint can request: one hour, in milliseconds. */
export const HINT_MS_MAX = HOUR_MS;
/** Number of doublings after which every pause has the maximum length. */
export const STREAK_MAX = 30;

/** A pause, and the number of consecutive pauses before it. Replicas share it in this form. */
export interface Pause extends Omit<Cooling, 'isFirm'> {
  readonly streak: number;
  /** End of the pause that the provider requested, epoch milliseconds; absent where it requested none. */
  readonly firmUntil?: number;
  /**
   * The caller whose failure last began or extended it, where others use the endpoint too: only the failure of another
   * caller extends it further.
   */
  readonly failedBy?: string;
}

export interface CoolDownTimes {
  /** The first pause without a hint of the provider, milliseconds; each consecutive one is twice as long. */
  readonly baseMs: number;
  /** Longest pause without a hint. */
  readonly maxMs: number;
  /** How long the trial after a pause may take before it counts as lost. */
  readonly trialMs: number;
}

/**
 * Decides whether an endpoint may be called. After a pause one call is admitted as a trial: it ends the cool-down, or
 * begins the next, longer pause. A trial without an outcome blocks others no longer than a call may take.
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

  /** When the result of `cooling` changes without a further event. */
  changesAt(now: number): number {
    if (!this.pause) return Infinity;
    if (this.isFirm(now)) return this.pause.firmUntil!;
    return now < this.pause.until ? this.pause.until : now < this.trialEndsAt ? this.trialEndsAt : Infinity;
  }

  /** True from the first pause until a call has succeeded after the last one. */
  get isUnproven(): boolean {
    return this.pause !== undefined;
  }

  /** Requests a call; the one that is admitted after a pause is its trial. */
  admit(now: number, caller?: string): boolean {
    if (!this.pause) return true;
    if (this.cooling(now) || this.isBarred(caller, now)) return false;
    this.trialEndsAt = now + this.times.trialMs;
    this.trialCaller = caller;
    return true;
  }

  /** Requests a call in spite of a pause, as the last resort: only a pause that the provider requested is refused. */
  admitLast(now: number): boolean {
    return !this.isFirm(now);
  }

  /**
   * Begins a pause after a failed call. The failure of a call that began before the pause can only extend it.
   * @param hintMs the pause that the provider requested; it replaces the gateway's, shorter or longer. 0: none. The one
   *   of a 429 is obeyed even if no other endpoint is left
   * @param caller the caller of the failed call, where others may make the next trial (`Pause.failedBy`)
   * @returns the pause, or undefined where the current one lasts as long
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
   * @param beganAt start of the call, epoch milliseconds. Within a pause that the provider did not request, a call that
   * started in it proves that the endpoint works; any other success proves nothing about the pause
   * @returns true when this ended the cool-down
   */
  succeed(now: number, beganAt?: number): boolean {
    if (!this.pause) return false;
    const isProof = now >= this.pause.until || (!this.isFirm(now) && beganAt !== undefined && beganAt > this.pausedAt);
    if (isProof) this.end();
    return isProof;
  }

  /** Ends a trial that had no outcome. */
  release(): void {
    this.trialEndsAt = -Infinity;
  }

  /** Ends the trial where it is this caller's. */
  releaseOf(caller: string): void {
    if (this.trialCaller === caller) this.release();
  }

  /** The caller of the last failure behind the pause; undefined for no particular one. */
  get failedBy(): string | undefined {
    return this.pause?.failedBy;
  }

  /** Adopts the pause of another replica; the later end wins. */
  adopt(pause: Pause, now: number): void {
    if (!this.pause || pause.until > this.pause.until) this.start(pause, now);
  }

  /** Ends the cool-down, for this or another replica. */
  end(): void {
    this.pause = undefined;
    this.trialEndsAt = -Infinity;
  }

  /** A caller whose trial failed leaves the next one to others, for as long as the pause was. */
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
