import { Injectable } from '@nestjs/common';
import type { Generation } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import { isBilledInFull } from '../core/routing/abort-rules.js';
import { Environment } from '../shared/environment.js';
import { Metrics } from '../shared/metrics.js';
import { OpenItems } from '../shared/open-items.js';

/** Most calls that run on unseen, of this process and of one key. Past them a call is cut, and charged by estimate. */
const UNSEEN_MAX = 64;
const UNSEEN_PER_KEY_MAX = 4;

/**
 * The calls that their callers have left and that are read to their end, because their providers bill all of them
 * anyway: so they are charged exactly. Each ends with its reply, or when the time of its request is over, or with the
 * process (docs/decisions/0037).
 */
@Injectable()
export class UnseenCalls {
  /** How each of them is cut. */
  private readonly open = new OpenItems<() => void>();
  private readonly ofKey = new Map<string, number>();
  private waiting: (() => void)[] = [];

  constructor(
    private readonly environment: Environment,
    private readonly metrics: Metrics,
  ) {}

  /** How many run on now. */
  get size(): number {
    return this.open.size;
  }

  /**
   * Has a call run on whose caller has just left, until its generation is settled.
   * @param cut ends the call
   * @returns false where it must be cut: it has not been sent or is over, its provider stops, or too many run on
   */
  enter(generation: Generation, call: ProviderCall, cut: () => void): boolean {
    if (!call.wasSent || call.ending !== undefined || generation.ending !== undefined) return false;
    if (!isBilledInFull(call.leg.endpoint.provider.aborts, call.run.request.stream)) return false;
    const { keyHash } = generation.caller;
    const ofKey = this.ofKey.get(keyHash) ?? 0;
    if (this.open.size >= UNSEEN_MAX || ofKey >= UNSEEN_PER_KEY_MAX) return false;

    this.ofKey.set(keyHash, ofKey + 1);
    this.metrics.unseenCallOpened();
    const place = this.open.add(cut);
    const leftMs = this.environment.timeouts.totalMs - (performance.now() - generation.beganAt);
    const deadline = setTimeout(cut, leftMs);
    const leave = (): void => {
      clearTimeout(deadline);
      this.leave(place, keyHash);
    };
    // It stands behind whoever settles it.
    generation.observe({ ended: ({ settlement }) => void settlement.then(leave, leave) });
    generation.runOnUnseen(call);
    return true;
  }

  /** Ends all of them: they are charged by estimate. */
  cutAll(): void {
    for (const cut of this.open) cut();
  }

  /** Resolves when none runs on. */
  idle(): Promise<void> {
    return this.open.size === 0 ? Promise.resolve() : new Promise((resolve) => this.waiting.push(resolve));
  }

  private leave(place: number, keyHash: string): void {
    this.open.remove(place);
    this.metrics.unseenCallClosed();
    const ofKey = this.ofKey.get(keyHash)! - 1;
    if (ofKey > 0) this.ofKey.set(keyHash, ofKey);
    else this.ofKey.delete(keyHash);
    if (this.open.size > 0) return;
    const { waiting } = this;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}
