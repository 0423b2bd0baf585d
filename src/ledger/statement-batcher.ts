import { GatewayError } from '../core/errors.js';
import { DATABASE_RETRY_AFTER_MS } from '../shared/database/database-unavailable.js';
import { FairQueue } from '../shared/queues/fair-queue.js';

/** Members of one round trip (docs/contribute/reasons/money.md#batches-of-holds). */
const BATCH_MAX = 64;
/** Members that may wait; further ones are refused, those of a single owner from half of it on. */
const WAITING_MAX = 10_000;
/** After a batch of this many members or more, the next one is delayed so that it gathers more. */
const GATHERS_AFTER = 4;
const BATCH_INTERVAL_MS = 6;

/**
 * Runs the statement of a batch: one result for each member, in their order.
 * @throws if no member is known to have taken effect
 */
export type RunBatch<Member, Result> = (members: readonly Member[]) => Promise<readonly Result[]>;

interface WaitingMember<Member, Result> {
  readonly member: Member;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface StatementBatcherOptions {
  /** Whether a failed or unanswered batch would fail again for every member: then no member is sent alone. */
  readonly isBatchFatal: (error: unknown) => boolean;
  /** Longest wait for a batch, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Gathers concurrent members into batches, each of which is one statement of the database. A batch is sent when none is
 * under way, with all members of the same turn of the event loop. Members that arrive meanwhile are sent together in
 * the next, taken from their owners in rotation. Under load batches are sent at intervals of six milliseconds or more,
 * because each round trip has a separate cost (docs/contribute/reasons/money.md#batches-of-holds). The members of a
 * failed batch are sent again one by one, so that a bad member fails alone. When no answer comes, all waiting members
 * fail at once.
 */
export class StatementBatcher<Member, Result> {
  private readonly waiting = new FairQueue<WaitingMember<Member, Result>>(WAITING_MAX);
  private isSending = false;
  /** The number of members of the last batch, and when it was sent. */
  private lastSize = 0;
  private lastSentAt = 0;

  constructor(
    private readonly run: RunBatch<Member, Result>,
    private readonly options: StatementBatcherOptions,
  ) {}

  /**
   * @param owner whose member it is: many members of one owner delay no other
   * @throws GatewayError `service-unavailable` when too many wait, or no answer came in time; else the error of `run`
   */
  submit(member: Member, owner = ''): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (!this.waiting.add(owner, { member, resolve, reject })) return reject(unanswered());
      if (this.isSending) return;
      this.isSending = true;
      void this.sendWaiting();
    });
  }

  private async sendWaiting(): Promise<void> {
    while (this.isSending) {
      // Joins at least the members of the same turn of the event loop.
      await new Promise<void>((resolve) => {
        const waitMs = this.lastSentAt + BATCH_INTERVAL_MS - performance.now();
        if (this.lastSize < GATHERS_AFTER || this.waiting.size >= BATCH_MAX || waitMs <= 0) setImmediate(resolve);
        else setTimeout(resolve, waitMs);
      });
      const batch = this.waiting.take(BATCH_MAX);
      this.lastSize = batch.length;
      this.lastSentAt = performance.now();
      await this.sendBatch(batch);
      this.isSending = this.waiting.size > 0;
    }
  }

  /** @returns the error that is fatal for every batch, if there was one */
  private async sendBatch(batch: readonly WaitingMember<Member, Result>[]): Promise<{ readonly fatal?: unknown }> {
    const { timeoutMs, isBatchFatal } = this.options;
    const sentAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(unanswered()), timeoutMs);
    });
    try {
      const members: Member[] = [];
      for (const { member } of batch) members.push(member);
      const results = await Promise.race([this.run(members), tooLong]);
      clearTimeout(timer);
      for (let index = 0; index < batch.length; index++) batch[index]!.resolve(results[index]!);
      return {};
    } catch (error) {
      clearTimeout(timer);
      if (isBatchFatal(error)) {
        for (const { reject } of batch) reject(error);
        // Members that waited for this batch would wait as long for the next, and so on, batch by batch.
        if (performance.now() - sentAt >= timeoutMs / 2) {
          for (const { reject } of this.waiting.take(WAITING_MAX)) reject(error);
        }
        return { fatal: error };
      }
      if (batch.length === 1) batch[0]!.reject(error);
      else await this.sendOneByOne(batch);
      return {};
    }
  }

  private async sendOneByOne(batch: readonly WaitingMember<Member, Result>[]): Promise<void> {
    for (const [index, waiting] of batch.entries()) {
      const { fatal } = await this.sendBatch([waiting]);
      if (fatal === undefined) continue;
      for (const { reject } of batch.slice(index + 1)) reject(fatal);
      return;
    }
  }
}

/** States nothing about the treatment of the members. */
function unanswered(): GatewayError {
  return new GatewayError('service-unavailable', 'The database does not answer at the moment; retry shortly.', {
    retryAfterMs: DATABASE_RETRY_AFTER_MS,
  });
}
