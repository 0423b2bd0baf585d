import type { CancelSignal } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import { ProviderFault } from '../core/errors.js';
import type { Generation } from '../core/generation/generation.js';
import { Pulled, type Puller } from '../core/stream/pulled.js';
import { faultError } from '../routing/fault-policies.js';
import type { StartedCall } from '../routing/plan-runner.js';

type Batch = readonly ModelEvent[];

/**
 * The events of a generation's answer as they go out, one array for each upstream chunk; to be read once. Tells
 * its generation what was used, how long the provider was waited for, and how it ended, whatever way. A provider that
 * fails in mid-reply leaves as the `GatewayError` that the caller is told.
 */
export class ReplyEvents extends Pulled<Batch> implements Puller<Batch> {
  /** Who waits for the next batch, and since when, by `performance.now()`. */
  private puller!: Puller<Batch>;
  private askedAt = 0;

  constructor(
    private readonly generation: Generation,
    private readonly begun: StartedCall,
    private readonly signal: CancelSignal,
  ) {
    super();
  }

  override pull(puller: Puller<Batch>): void {
    this.puller = puller;
    this.askedAt = performance.now();
    this.begun.events.pull(this);
  }

  take(batch: Batch): void {
    const { call } = this.begun;
    call.waitedMs += performance.now() - this.askedAt;
    if (call.observe(batch)) void this.complete(batch);
    else this.puller.take(batch);
  }

  end(): void {
    this.begun.events.return().then(() => this.puller.end(), this.failed);
  }

  fail(reason: unknown): void {
    this.failed(reason);
  }

  override async return(): Promise<IteratorResult<Batch, undefined>> {
    // Whoever read the events stopped. Says nothing new of a generation that has ended.
    const settled = this.generation.end('caller-gone');
    const left = await this.begun.events.return();
    await settled;
    return left;
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
      await this.generation.end('completed');
    } catch (error) {
      this.failed(error);
      return;
    }
    this.puller.take(batch);
  }

  /** @returns what the caller is told */
  private async settle(thrown: unknown): Promise<unknown> {
    const { call, events } = this.begun;
    const reason: unknown = this.signal.aborted ? this.signal.reason : thrown;
    const settled = this.generation.fail(reason);
    await events.return();
    await settled;
    return reason instanceof ProviderFault ? faultError(reason, call.leg) : reason;
  }
}
