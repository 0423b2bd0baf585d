import type { CancelSignal } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import { ProviderFault } from '../core/errors.js';
import { endingOf } from '../core/generation/ending.js';
import type { Generation } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import { left, Pulled, type Puller } from '../core/stream/pulled.js';
import { midReplyError } from '../routing/fault-policies.js';
import type { StartedReply } from '../routing/attempt-runner.js';
import type { StartedCall } from '../routing/plan-runner.js';

type Batch = readonly ModelEvent[];

/**
 * The events of a generation's answer as they go out, one array for each upstream chunk; to be read once. Tells
 * its generation what was used, how long the provider was waited for, and how it ended, whatever way. A provider that
 * fails in mid-reply leaves as the `GatewayError` that the caller is told.
 */
export class ReplyEvents extends Pulled<Batch> implements Puller<Batch> {
  private readonly call: ProviderCall;
  private readonly events: StartedReply;
  /** Who waits for the next batch. */
  private puller!: Puller<Batch>;
  /** Since when nobody does, by `performance.now()`. */
  private pausedAt: number | undefined;
  private isAsked = false;
  /** Nobody reads: the rest is only counted. */
  private isUnread = false;

  constructor(
    private readonly generation: Generation,
    begun: StartedCall,
    private readonly signal: CancelSignal,
  ) {
    super();
    this.call = begun.call;
    this.events = begun.events;
  }

  override pull(puller: Puller<Batch>): void {
    this.puller = puller;
    this.isAsked = true;
    if (this.pausedAt !== undefined) {
      this.call.pausedMs += performance.now() - this.pausedAt;
      this.pausedAt = undefined;
    }
    this.events.pull(this);
  }

  take(batch: Batch): void {
    if (this.call.observe(batch)) {
      void this.complete(batch);
      return;
    }
    if (this.isUnread) {
      this.events.pull(this);
      return;
    }
    this.isAsked = false;
    this.puller.take(batch);
    // A reader that keeps up asks for the next one from within: then no clock is read.
    if (!this.isAsked) this.pausedAt = performance.now();
  }

  end(): void {
    this.events.return().then(() => this.puller.end(), this.failed);
  }

  fail(reason: unknown): void {
    this.failed(reason);
  }

  override async return(): Promise<IteratorResult<Batch, undefined>> {
    if (this.call.isUnseen && this.generation.ending === undefined) {
      void this.readUnseen();
      return left();
    }
    // Whoever read the events stopped. Says nothing new of a generation that has ended.
    const settled = this.generation.end('caller-gone');
    const over = await this.events.return();
    await settled;
    return over;
  }

  /**
   * The caller has left what its provider bills in full: reads on to its end, keeping nothing, so that it is charged
   * exactly. Ends the generation by that. @returns when it is settled; never rejects
   */
  readUnseen(): Promise<void> {
    return new Promise((resolve) => {
      const over = (): void => void this.events.return().then(() => resolve(), resolve);
      this.puller = { take: over, end: over, fail: over };
      this.isUnread = true;
      if (!this.isAsked) this.pull(this.puller);
    });
  }

  private readonly failed = (thrown: unknown): void => {
    this.settle(thrown).then(
      (reason) => this.puller.fail(reason),
      (error: unknown) => this.puller.fail(error),
    );
  };

  /** The last words wait until they are paid for. */
  private async complete(batch: Batch): Promise<void> {
    try {
      await this.endWhole();
    } catch (error) {
      this.failed(error);
      return;
    }
    this.puller.take(batch);
  }

  /** The reply came to its end, though its caller may not have waited for it. */
  private endWhole(): Promise<void> {
    const { generation, call } = this;
    if (!call.isUnseen) return generation.end('completed');
    generation.endCall(call, 'completed');
    return generation.end('caller-gone');
  }

  /** @returns what the caller is told */
  private async settle(thrown: unknown): Promise<unknown> {
    const { call, events, generation } = this;
    // What ran on unseen may have failed by itself.
    if (call.isUnseen && thrown instanceof ProviderFault) generation.endCall(call, endingOf(thrown), thrown);
    const reason: unknown = this.signal.aborted ? this.signal.reason : thrown;
    const settled = generation.fail(reason);
    await events.return();
    await settled;
    return reason instanceof ProviderFault ? midReplyError(reason, call.leg) : reason;
  }
}
