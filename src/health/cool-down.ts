import type { Cooling } from '../core/routing/health.js';
import { HOUR_MS } from '../core/time.js';

/** Longest pause a provider's hint can ask for: one hour, in milliseconds. */
export const HINT_MS_MAX = HOUR_MS;
/** Past so many doublings every pause has its greatest length. */
export const STREAK_MAX = 30;

/** A pause, and how many there were in a row before it. Replicas share it in this form. */
export type Pause = Cooling & { readonly streak: number };

export interface CoolDownTimes {
  /** The first pause, milliseconds; each further one in a row is twice as long. */
  readonly baseMs: number;
  /** Longest pause, unless the provider asks for more. */
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
  private trialEndsAt = -Infinity;

  constructor(private readonly times: CoolDownTimes) {}

  /** The pause, while it lasts and while its trial is under way: nothing may be sent. */
  cooling(now: number): Cooling | undefined {
    if (!this.pause || (now >= this.pause.until && now >= this.trialEndsAt)) return undefined;
    return { until: this.pause.until, by: this.pause.by };
  }

  /** When `cooling` answers otherwise although nothing happened. */
  changesAt(now: number): number {
    if (!this.pause) return Infinity;
    return now < this.pause.until ? this.pause.until : now < this.trialEndsAt ? this.trialEndsAt : Infinity;
  }

  /** True from the first pause on until a call has succeeded after the last. */
  get isUnproven(): boolean {
    return this.pause !== undefined;
  }

  /** Asks to make a call; the one that is admitted after a pause is its trial. */
  admit(now: number): boolean {
    if (!this.pause) return true;
    if (this.cooling(now)) return false;
    this.trialEndsAt = now + this.times.trialMs;
    return true;
  }

  /**
   * A call that failed begins a pause. One from before that fails within it can only make it longer.
   * @param hintMs the provider's own wish
   * @returns the pause, or undefined where the one there is lasts as long
   */
  begin(by: Cooling['by'], hintMs: number, now: number): Pause | undefined {
    const { pause } = this;
    const isWithin = pause !== undefined && now < pause.until;
    const streak = !pause ? 0 : isWithin ? pause.streak : Math.min(pause.streak + 1, STREAK_MAX);
    const ownMs = Math.min(this.times.maxMs, this.times.baseMs * 2 ** streak);
    const until = now + Math.max(ownMs, Math.min(hintMs, HINT_MS_MAX));
    if (isWithin && until <= pause.until) return undefined;
    return this.start({ until, by, streak });
  }

  /** @returns true when this ended the cool-down: within a pause a success says nothing of the time it was given for */
  succeed(now: number): boolean {
    if (!this.pause || now < this.pause.until) return false;
    this.end();
    return true;
  }

  /** Frees the place of a trial that had no outcome. */
  release(): void {
    this.trialEndsAt = -Infinity;
  }

  /** Another replica's pause: of two the later end counts. */
  adopt(pause: Pause): void {
    if (!this.pause || pause.until > this.pause.until) this.start(pause);
  }

  /** Ended, here or by another replica. */
  end(): void {
    this.pause = undefined;
    this.trialEndsAt = -Infinity;
  }

  private start(pause: Pause): Pause {
    this.trialEndsAt = -Infinity;
    return (this.pause = pause);
  }
}
