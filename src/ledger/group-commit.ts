import { GatewayError } from '../core/errors.js';
import { DATABASE_RETRY_AFTER_MS } from '../shared/database/database-unavailable.js';
import { FairQueue } from '../shared/fair-queue.js';

/** Members of one round trip (docs/contribute/reasons/money.md#batches-of-holds). */
const BATCH_MAX = 64;
/** Members that may wait; further ones are refused, those of a single share from half of it on. */
const WAITING_MAX = 10_000;
/** After a batch of more members than this, the next one is delayed so that it gathers more. */
const GATHERS_AFTER = 4;
const BATCH_INTERVAL_MS = 6;

/**
 * Performs a batch: one result for each member, in their order.
 * @throws when, as far as is known, no member took effect
 */
export type SendBatch<Member, Result> = (members: readonly Member[]) => Promise<readonly Result[]>;

interface Waiting<Member, Result> {
  readonly member: Member;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommitOptions {
  /** Whether a failed or unanswered batch would fail again for every member: then no member is sent alone. */
  readonly isBatchFatal: (error: unknown) => boolean;
  /** Longest wait for a batch, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Lets concurrent members share a round trip. A batch leaves when none is under way, with all members of the same turn
 * of the event loop; members that arrive meanwhile leave together in the next, taken from their shares in rotation.
 * Under load one batch leaves each six milliseconds at most: fewer round trips, each of which has a cost of its own
 * (docs/contribute/reasons/money.md#batches-of-holds). A batch that fails is retried member by member, so that one bad
 * member fails alone. When no answer comes, all waiting members fail at once.
 */
export class GroupCommit<Member, Result> {
  private readonly waiting = new FairQueue<Waiting<Member, Result>>(WAITING_MAX);
  private isSending = false;
  /** Members of the last batch, and when it left. */
  private sent = 0;
  private sentAt = 0;

  constructor(
    private readonly send: SendBatch<Member, Result>,
    private readonly options: GroupCommitOptions,
  ) {}

  /**
   * @param share the owner of the member: many members of one share delay no other
   * @throws GatewayError `service-unavailable` when too many wait, or no answer came in time; else the error of `send`
   */
  submit(member: Member, share = ''): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (!this.waiting.add(share, { member, resolve, reject })) return reject(unanswered());
      if (this.isSending) return;
      this.isSending = true;
      void this.sendWaiting();
    });
  }

  private async sendWaiting(): Promise<void> {
    while (this.isSending) {
      // Joins at least the members of the same turn of the event loop.
      await new Promise<void>((resolve) => {
        const waitMs = this.sentAt + BATCH_INTERVAL_MS - performance.now();
        if (this.sent < GATHERS_AFTER || this.waiting.size >= BATCH_MAX || waitMs <= 0) setImmediate(resolve);
        else setTimeout(resolve, waitMs);
      });
      const batch = this.waiting.take(BATCH_MAX);
      this.sent = batch.length;
      this.sentAt = performance.now();
      await this.settle(batch);
      this.isSending = this.waiting.size > 0;
    }
  }

  /** @returns the error that is fatal for every batch, if there was one */
  private async settle(batch: readonly Waiting<Member, Result>[]): Promise<{ readonly fatal?: unknown }> {
    const { timeoutMs, isBatchFatal } = this.options;
    const sentAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(unanswered()), timeoutMs);
    });
    try {
      const members: Member[] = [];
      for (const { member } of batch) members.push(member);
      const results = await Promise.race([this.send(members), tooLong]);
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
      else await this.settleOneByOne(batch);
      return {};
    }
  }

  private async settleOneByOne(batch: readonly Waiting<Member, Result>[]): Promise<void> {
    for (const [index, one] of batch.entries()) {
      const { fatal } = await this.settle([one]);
      if (fatal === undefined) continue;
      for (const { reject } of batch.slice(index + 1)) reject(fatal);
      return;
    }
  }
}

/** States nothing about the fate of the members. */
function unanswered(): GatewayError {
  return new GatewayError('service-unavailable', 'The database does not answer at the moment; retry shortly.', {
    retryAfterMs: DATABASE_RETRY_AFTER_MS,
  });
}
