import type { CancelSignal } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import { GatewayError, ProviderFault } from '../core/errors.js';
import { endingOf } from '../core/generation/ending.js';
import type { Generation } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import { left, PullSource, type PullReceiver } from '../core/stream/pull-source.js';
import { yieldToEventLoop } from '../core/yield-to-event-loop.js';
import { midReplyError } from '../routing/attempt-failures.js';
import type { ReplyWatch } from '../core/plugin.js';
import type { StartedReply } from '../routing/attempt-runner.js';
import type { StartedCall } from '../routing/plan-runner.js';
import type { ToolLoop } from './tools/tool-loop.js';

type Batch = readonly ModelEvent[];

/**
 * The events of a generation's answer as they are sent, one array for each upstream chunk; to be read once. Records in
 * the generation the usage, the pauses of its reader, and the ending. A provider that fails mid-stream
 * surfaces as the `GatewayError` that the caller receives.
 */
export class ReplyEvents extends PullSource<Batch> implements PullReceiver<Batch> {
  private call: ProviderCall;
  private events: StartedReply;
  /** Receives the next batch. */
  private receiver!: PullReceiver<Batch>;
  /** Since when the reader has not pulled, by `performance.now()`. */
  private pausedAt: number | undefined;
  private isPulled = false;
  /** The provider was pulled too, and has not delivered yet. */
  private isPulling = false;
  /** Releases held-back events after their maximum delay. */
  private overdue: NodeJS.Timeout | undefined;
  /** Set while such a release runs. */
  private releasing: Promise<void> | undefined;
  /** The failure, until the reader pulls. */
  private failure: { readonly reason: unknown } | undefined;
  /** From then on only batches that were released before are sent. */
  private hasFailed = false;
  /** Without a reader: the rest is only counted. */
  private isUnread = false;
  /** Batches that the reader has not pulled yet: released events, results of tools, and the last events. */
  private readonly held: Batch[] = [];
  /** The call's last event has arrived and no further call runs: later events of its connection are not part of it. */
  private isBetween = false;
  /** The whole reply has ended. */
  private isWhole = false;

  /**
   * @param loop of a request with tools that this gateway runs: further calls follow the first
   * @param watch sees every batch before the caller does
   */
  constructor(
    private readonly generation: Generation,
    begun: StartedCall,
    private readonly signal: CancelSignal,
    private readonly loop?: ToolLoop,
    private readonly watch?: ReplyWatch,
  ) {
    super();
    this.call = begun.call;
    this.events = begun.events;
  }

  override pull(receiver: PullReceiver<Batch>): void {
    this.receiver = receiver;
    this.isPulled = true;
    if (this.pausedAt !== undefined) {
      this.call.pausedMs += performance.now() - this.pausedAt;
      this.pausedAt = undefined;
    }
    this.proceed();
  }

  /** @param isOver the call ended with this batch: its usage is counted at once, whatever becomes of the content */
  take(batch: Batch, isOver = this.call.observe(batch)): void {
    if (this.releasing) {
      void this.releasing.then(() => this.take(batch, isOver));
      return;
    }
    // The watch that held it back has failed, so the batch was not judged.
    if (this.hasFailed) return;
    this.isPulling = false;
    if (this.overdue !== undefined) clearTimeout(this.overdue);
    const passed = this.loop && !this.isUnread ? this.loop.pass(batch) : batch;
    if (isOver) {
      this.isBetween = true;
      this.events.drain();
      if (this.loop && !this.call.isUnseen && this.loop.hasPendingToolCalls) void this.goOn(this.loop, passed);
      else void this.endWith(passed);
    } else if (this.isUnread) this.pullNext();
    else if (this.watch) void this.giveWatched(passed);
    else this.give(passed);
  }

  end(): void {
    // After the last event of the call, whose settlement is awaited, the end of its connection can be ignored.
    if (this.isBetween) return;
    this.isBetween = true;
    this.isWhole = true;
    this.events.return().then(
      () => this.give(NOTHING),
      (reason: unknown) => this.failed(reason),
    );
  }

  fail(reason: unknown): void {
    this.failed(reason);
  }

  override async return(): Promise<IteratorResult<Batch, undefined>> {
    if (this.call.isUnseen && this.generation.ending === undefined) {
      void this.readUnseen();
      return left();
    }
    // The reader stopped. Has no effect on a generation that has ended.
    this.receiver = NO_READER;
    clearTimeout(this.overdue);
    // The consultations that are awaited end the generation when they are over.
    if (this.generation.unseenConsultations()) return left();
    const settled = this.generation.end('caller-gone');
    if (!this.isBetween) await this.events.return();
    await settled;
    return left();
  }

  /**
   * The caller has disconnected from a call that its provider bills in full: reads it to its end without keeping
   * anything, so that the charge is exact. That end ends the generation.
   * @returns when it is settled; never rejects
   */
  readUnseen(): Promise<void> {
    return new Promise((resolve) => {
      const over = (): void => void this.events.return().then(() => resolve(), resolve);
      // A batch that was released before or during the disconnect is not the end.
      const receiver: PullReceiver<Batch> = {
        take: () => (this.isWhole ? resolve() : this.pull(receiver)),
        end: over,
        fail: over,
      };
      this.receiver = receiver;
      this.isUnread = true;
      this.held.length = 0;
      if (!this.isPulled) this.pull(receiver);
    });
  }

  private failed(thrown: unknown): void {
    this.hasFailed = true;
    clearTimeout(this.overdue);
    const fail = (reason: unknown): void => {
      this.failure = { reason };
      this.give(NOTHING);
    };
    this.settle(thrown).then(fail, fail);
  }

  private give(batch: Batch): void {
    if (batch.length > 0) this.held.push(batch);
    if (this.isPulled) this.proceed();
  }

  /** Serves the reader from the queue, or pulls the provider. */
  private proceed(): void {
    const batch = this.held.shift();
    if (batch) {
      this.isPulled = false;
      this.receiver.take(batch);
      // A reader that keeps up pulls within `take`: then no time is measured.
      if (!this.isPulled && !this.isBetween) this.pausedAt = performance.now();
    } else if (this.failure) this.receiver.fail(this.failure.reason);
    else if (this.isWhole) this.receiver.end();
    else if (!this.isBetween && !this.isPulling) this.pullNext();
  }

  private pullNext(): void {
    this.isPulling = true;
    this.events.pull(this);
    const waitMs = this.watch?.overdueMs;
    if (!this.isPulling || waitMs === undefined || this.isUnread) return;
    this.overdue = setTimeout(() => {
      this.releasing = this.release().finally(() => (this.releasing = undefined));
    }, waitMs);
  }

  private async release(): Promise<void> {
    try {
      this.give((await this.watch?.release?.()) ?? NOTHING);
    } catch (error) {
      this.failed(error);
    }
  }

  private async giveWatched(batch: Batch): Promise<void> {
    try {
      const watched = this.watched(batch);
      this.give(watched instanceof Promise ? await watched : watched);
    } catch (error) {
      this.failed(error);
    }
  }

  private watched(batch: Batch): Batch | Promise<Batch> {
    return this.watch && !this.isUnread ? this.watch.pass(batch) : batch;
  }

  /** The last events wait for the settlement. The reply is complete even if its caller has disconnected. */
  private async endWith(batch: Batch): Promise<void> {
    const { generation, call } = this;
    try {
      const watched = this.watch ? await this.watched(batch) : batch;
      if (call.isUnseen) generation.endCall(call, 'completed');
      await generation.end(call.isUnseen ? 'caller-gone' : 'completed');
      if (generation.isUnrecorded) throw unrecorded(generation);
      this.isWhole = true;
      this.give(watched);
    } catch (error) {
      this.failed(error);
    }
  }

  /** The content before the tool calls is sent before the tools run, and their results before the next call. */
  private async goOn(loop: ToolLoop, batch: Batch): Promise<void> {
    try {
      this.give(await this.watched(batch));
      this.generation.endCall(this.call, 'completed');
      for (const [index, results] of (await loop.runTools(this.call.leg)).entries()) {
        if (index > 0) await yieldToEventLoop();
        this.give(await this.watched(results));
      }
      const next = await loop.next(this.call.leg);
      if ('call' in next) this.begin(next);
      else await this.endWith(next);
    } catch (error) {
      this.failed(error);
    }
  }

  private begin({ call, events }: StartedCall): void {
    this.call = call;
    this.events = events;
    this.isBetween = false;
    if (this.isPulled) this.proceed();
  }

  /** @returns the error for the caller */
  private async settle(thrown: unknown): Promise<unknown> {
    const { call, events, generation } = this;
    // A call that continued without a reader may have failed on its own.
    if (call.isUnseen && thrown instanceof ProviderFault) generation.endCall(call, endingOf(thrown), thrown);
    const reason: unknown = this.signal.aborted ? this.signal.reason : thrown;
    // A call that is billed in full is awaited: its final report decides the charge.
    await generation.unseenConsultations();
    const settled = generation.fail(reason);
    await events.return();
    await settled;
    return reason instanceof ProviderFault ? midReplyError(reason, call.leg) : reason;
  }
}

/** The caller is not charged, and may send the request again. */
function unrecorded(generation: Generation): GatewayError {
  const message = 'The charge of this reply cannot be recorded at the moment; retry shortly.';
  const error = new GatewayError('service-unavailable', message, { retryAfterMs: 1_000 });
  generation.failDelivery(error);
  return error;
}

const NOTHING: Batch = [];
const nothing = (): void => undefined;
/** Running tools are cancelled, and their further output is dropped. */
const NO_READER: PullReceiver<Batch> = { take: nothing, end: nothing, fail: nothing };
