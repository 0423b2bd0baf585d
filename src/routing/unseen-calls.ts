import { Injectable } from '@nestjs/common';
import type { Generation } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import { isBilledInFull } from '../core/routing/abort-rules.js';
import { Environment } from '../shared/environment.js';
import { Metrics } from '../shared/telemetry/metrics.js';
import { OpenItems } from '../shared/open-items.js';

/**
 * Limits of calls that continue unseen, in this process and of one key. Past them a call is aborted, and charged by
 * estimate.
 */
const UNSEEN_MAX = 64;
const UNSEEN_PER_KEY_MAX = 4;

/**
 * Calls that continue without their callers, because their providers bill all of them anyway: read to the end, they are
 * charged exactly. Each ends with its reply, at the time limit of its request, or with the process
 * (docs/contribute/decisions/0037).
 */
@Injectable()
export class UnseenCalls {
  /** Functions that abort each of them. */
  private readonly open = new OpenItems<() => void>();
  private readonly ofKey = new Map<string, number>();
  private waiting: (() => void)[] = [];

  constructor(
    private readonly environment: Environment,
    private readonly metrics: Metrics,
  ) {}

  /** The number of calls now running on. */
  get size(): number {
    return this.open.size;
  }

  /**
   * Lets a call continue without its caller until its generation is settled.
   * @param cut aborts the call
   * @returns false if the call must be aborted: it was not sent or has ended, its provider stops, or too many continue
   */
  enter(generation: Generation, call: ProviderCall, cut: () => void): boolean {
    if (!call.wasSent || call.ending !== undefined || generation.ending !== undefined) return false;
    if (!isBilledInFull(call.leg.endpoint.provider.aborts, call.run.request.stream)) return false;
    const { keyHash } = generation.caller;
    const ofKey = this.ofKey.get(keyHash) ?? 0;
    if (this.open.size >= UNSEEN_MAX || ofKey >= UNSEEN_PER_KEY_MAX) return false;

    this.ofKey.set(keyHash, ofKey + 1);
    this.metrics.unseenCallOpened();
    const index = this.open.add(cut);
    const leftMs = this.environment.timeouts.totalMs - (performance.now() - generation.beganAt);
    const deadline = setTimeout(cut, leftMs);
    const leave = (): void => {
      clearTimeout(deadline);
      this.leave(index, keyHash);
    };
    // Added after the observer that settles it.
    generation.observe({ ended: ({ settlement }) => void settlement.then(leave, leave) });
    generation.runOnUnseen(call);
    return true;
  }

  /** Aborts all of them: they are charged by estimate. */
  cutAll(): void {
    for (const cut of this.open) cut();
  }

  /** Resolves when no unseen call continues. */
  idle(): Promise<void> {
    return this.open.size === 0 ? Promise.resolve() : new Promise((resolve) => this.waiting.push(resolve));
  }

  private leave(index: number, keyHash: string): void {
    this.open.remove(index);
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
