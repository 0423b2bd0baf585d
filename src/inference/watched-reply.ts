import type { CancelSignal } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import { ProviderFault } from '../core/errors.js';
import { faultError } from '../routing/fault-policies.js';
import type { AnsweredPlan } from '../routing/plan-runner.js';
import type { GenerationAccount } from './generation-account.js';
import type { GenerationRecord } from './generation-record.js';

/** Who wants to know how the reply ends. */
export interface ReplyHooks {
  finished(): void;
  failed(): void;
  /** However it ended. */
  closed(): void;
}

type Next = IteratorResult<readonly ModelEvent[], void>;

/**
 * The events as they go out, watched: usage, how long the provider was waited for, and every way of ending, each of which is settled. A provider that fails
 * in mid-reply leaves as the `GatewayError` the caller is told. Written as an iterator by hand: a generator costs a turn more.
 */
export class WatchedReply implements AsyncIterableIterator<readonly ModelEvent[], void, undefined> {
  constructor(
    private readonly answered: AnsweredPlan,
    private readonly record: GenerationRecord,
    private readonly account: GenerationAccount,
    private readonly signal: CancelSignal,
    private readonly hooks: ReplyHooks,
  ) {}

  async next(): Promise<Next> {
    const { events, record } = this.answered;
    const asked = performance.now();
    try {
      const next = await events.next();
      record.waited(performance.now() - asked);
      if (!next.done) {
        if (this.record.observe(next.value)) {
          // The last words wait until they are paid for.
          this.record.finished();
          await this.account.close();
        }
        return next;
      }
      this.record.finished();
      this.hooks.finished();
      await this.close();
      return next;
    } catch (thrown) {
      const reason: unknown = this.signal.aborted ? this.signal.reason : thrown;
      this.record.failed(reason);
      this.hooks.failed();
      await this.close();
      throw reason instanceof ProviderFault ? faultError(events.masked(reason), this.answered.leg) : reason;
    }
  }

  async return(): Promise<Next> {
    this.record.left();
    await this.close();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private async close(): Promise<void> {
    this.hooks.closed();
    await this.answered.events.return();
    await this.account.close();
  }
}
