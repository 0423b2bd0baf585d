import type { CancelSignal } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import { GatewayError, ProviderFault } from '../core/errors.js';
import { endingOf } from '../core/generation/ending.js';
import type { Generation } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import { left, Pulled, type Puller } from '../core/stream/pulled.js';
import { yieldToEventLoop } from '../core/yield-to-event-loop.js';
import { midReplyError } from '../routing/fault-policies.js';
import type { ReplyWatch } from '../core/plugin.js';
import type { StartedReply } from '../routing/attempt-runner.js';
import type { StartedCall } from '../routing/plan-runner.js';
import type { ToolLoop } from './tools/tool-loop.js';

type Batch = readonly ModelEvent[];

/**
 * The events of a generation's answer as they go out, one array for each upstream chunk; to be read once. Tells
 * its generation what was used, how long the provider was waited for, and how it ended, whatever way. A provider that
 * fails in mid-reply leaves as the `GatewayError` that the caller is told.
 */
export class ReplyEvents extends Pulled<Batch> implements Puller<Batch> {
  private call: ProviderCall;
  private events: StartedReply;
  /** Who waits for the next batch. */
  private puller!: Puller<Batch>;
  /** Since when nobody does, by `performance.now()`. */
  private pausedAt: number | undefined;
  private isAsked = false;
  /** So has the provider been, and has not answered yet. */
  private isPulling = false;
  /** Lets go what was held back, when that has waited long enough. */
  private overdue: NodeJS.Timeout | undefined;
  /** While that is under way. */
  private releasing: Promise<void> | undefined;
  /** How it failed, until somebody asks. */
  private failure: { readonly reason: unknown } | undefined;
  /** From then on nothing goes out but what had been let go before. */
  private hasFailed = false;
  /** Nobody reads: the rest is only counted. */
  private isUnread = false;
  /** What nobody has asked for yet: what was let go meanwhile, results of tools, and the last words behind them. */
  private readonly held: Batch[] = [];
  /** The call's last event has come and no other is under way: what its connection does later is no part of it. */
  private isBetween = false;
  /** So it is of the whole reply. */
  private isWhole = false;

  /**
   * @param loop of one with tools that this gateway runs: further calls follow the one that has begun
   * @param watch sees all that goes out before its caller does
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

  override pull(puller: Puller<Batch>): void {
    this.puller = puller;
    this.isAsked = true;
    if (this.pausedAt !== undefined) {
      this.call.pausedMs += performance.now() - this.pausedAt;
      this.pausedAt = undefined;
    }
    this.proceed();
  }

  /** @param isOver the reply ended with it: what is used is charged at once, whatever becomes of the words */
  take(batch: Batch, isOver = this.call.observe(batch)): void {
    if (this.releasing) {
      void this.releasing.then(() => this.take(batch, isOver));
      return;
    }
    // What held it back has failed meanwhile, and has not judged it.
    if (this.hasFailed) return;
    this.isPulling = false;
    if (this.overdue !== undefined) clearTimeout(this.overdue);
    const told = this.loop && !this.isUnread ? this.loop.tell(batch) : batch;
    if (isOver) {
      this.isBetween = true;
      this.events.hearOut();
      if (this.loop && !this.call.isUnseen && this.loop.goesOn) void this.goOn(this.loop, told);
      else void this.endWith(told);
    } else if (this.isUnread) this.pullNext();
    else if (this.watch) void this.giveWatched(told);
    else this.give(told);
  }

  end(): void {
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
    // Whoever read the events stopped. Says nothing new of a generation that has ended.
    this.puller = NOBODY;
    clearTimeout(this.overdue);
    // The tools that wait for it end the generation when it is over.
    if (this.generation.unseenConsultations()) return left();
    const settled = this.generation.end('caller-gone');
    if (!this.isBetween) await this.events.return();
    await settled;
    return left();
  }

  /**
   * The caller has left what its provider bills in full: reads on to its end, keeping nothing, so that it is charged
   * exactly. Ends the generation by that. @returns when it is settled; never rejects
   */
  readUnseen(): Promise<void> {
    return new Promise((resolve) => {
      const over = (): void => void this.events.return().then(() => resolve(), resolve);
      // What was let go before, or is while he leaves, is not the end.
      const puller: Puller<Batch> = {
        take: () => (this.isWhole ? resolve() : this.pull(puller)),
        end: over,
        fail: over,
      };
      this.puller = puller;
      this.isUnread = true;
      this.held.length = 0;
      if (!this.isAsked) this.pull(puller);
    });
  }

  private failed(thrown: unknown): void {
    this.hasFailed = true;
    clearTimeout(this.overdue);
    const told = (reason: unknown): void => {
      this.failure = { reason };
      this.give(NOTHING);
    };
    this.settle(thrown).then(told, told);
  }

  private give(batch: Batch): void {
    if (batch.length > 0) this.held.push(batch);
    if (this.isAsked) this.proceed();
  }

  /** Answers whoever asks, by what is at hand, or has the provider asked. */
  private proceed(): void {
    const batch = this.held.shift();
    if (batch) {
      this.isAsked = false;
      this.puller.take(batch);
      // A reader that keeps up asks for the next one from within: then no clock is read.
      if (!this.isAsked && !this.isBetween) this.pausedAt = performance.now();
    } else if (this.failure) this.puller.fail(this.failure.reason);
    else if (this.isWhole) this.puller.end();
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
    return this.watch && !this.isUnread ? this.watch.tell(batch) : batch;
  }

  /** The last words wait until they are paid for. The reply came to its end, though its caller may not have waited. */
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

  /** What was said before its tools run goes out before that; so do their results before the next call. */
  private async goOn(loop: ToolLoop, batch: Batch): Promise<void> {
    try {
      this.give(await this.watched(batch));
      this.generation.endCall(this.call, 'completed');
      for (const [place, results] of (await loop.runTools()).entries()) {
        if (place > 0) await yieldToEventLoop();
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
    if (this.isAsked) this.proceed();
  }

  /** @returns what the caller is told */
  private async settle(thrown: unknown): Promise<unknown> {
    const { call, events, generation } = this;
    // What ran on unseen may have failed by itself.
    if (call.isUnseen && thrown instanceof ProviderFault) generation.endCall(call, endingOf(thrown), thrown);
    const reason: unknown = this.signal.aborted ? this.signal.reason : thrown;
    // What is billed in full is waited for: it is charged by what its provider tells in the end.
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
/** Tools that were running are told to end, and what they say then is for nobody. */
const NOBODY: Puller<Batch> = { take: nothing, end: nothing, fail: nothing };
