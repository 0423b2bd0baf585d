import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { readInTime } from '../shared/within-time.js';
import type { ReplySeals } from '../vault/seal-ring.js';
import type { IdempotencyErrors } from './idempotency-errors.js';
import type { KeptRepliesRepository, StoredClaim, StoredPart, StoredReply } from './kept-replies.repository.js';
import { headContext, partContext } from './reply-claim.js';
import { ReplyLog, type ReplyHead } from './reply-log.js';

/**
 * How long a lease must be found ended before its process counts as dead: after an outage of the database each process
 * renews its leases in its next round.
 */
export const OVERDUE_MS = 1_500;
/** How long a reply of another replica is read without a reader here. */
const UNREAD_MS_MAX = 5_000;

/** A reply that another process writes. */
export interface FollowedReply {
  readonly id: string;
  readonly caller: Caller;
  readonly log: ReplyLog;
  /** Key of the reply among the open replies of this process; undefined if the reply has no name. */
  readonly key: string | undefined;
  /** Whether readers share the reply by the response cache: they have no idempotency key. */
  readonly isShared: boolean;
}

interface Following extends FollowedReply {
  /** Rows of parts that are read. */
  rows: number;
  /** The first of the reads in a row that found its lease ended, by `performance.now()`. */
  overdueSince?: number | undefined;
  /** The last time at which it had a reader here, by `performance.now()`. */
  readAt: number;
}

/** Replies of other processes that have readers here, read from the database as they grow. */
export class FollowedReplies {
  private readonly byId = new Map<string, Following>();

  /** @param onForgotten called with each reply that has ended, or has no readers here any more */
  constructor(
    private readonly replies: KeptRepliesRepository,
    private readonly seals: ReplySeals,
    private readonly errors: IdempotencyErrors,
    private readonly onForgotten: (followed: FollowedReply) => void,
  ) {}

  get size(): number {
    return this.byId.size;
  }

  /**
   * The log of a stored reply.
   * @param of `key`: its key in the replies that are open here; `isShared`: it is of the response cache
   * @returns `isNew`: it grows, and is followed from now on
   * @throws GatewayError `service-unavailable` when the store does not answer in time
   */
  async follow(
    stored: StoredClaim & Partial<StoredReply>,
    of: Pick<FollowedReply, 'caller' | 'key' | 'isShared'>,
  ): Promise<{ readonly log: ReplyLog; readonly isNew: boolean }> {
    const log = new ReplyLog({ isKept: true });
    const followed: Following = { ...of, id: stored.id, log, rows: 0, readAt: performance.now() };
    await readInTime('The reply', this.read([followed], [stored], stored.contents));
    if (log.end) return { log, isNew: false };
    // During that wait others may have begun to follow it.
    const known = this.byId.get(stored.id);
    if (known) return { log: known.log, isNew: false };
    this.byId.set(stored.id, followed);
    return { log, isNew: true };
  }

  /** Appends what is new. */
  async readNew(): Promise<void> {
    const now = performance.now();
    for (const followed of this.byId.values()) {
      if (followed.log.isRead) followed.readAt = now;
      else if (now - followed.readAt > UNREAD_MS_MAX) this.forget(followed);
    }
    const all = [...this.byId.values()];
    if (all.length === 0) return;
    await this.read(all, await this.replies.list(all.map(({ id }) => id)));
    for (const followed of all) if (followed.log.end) this.forget(followed);
  }

  private forget(followed: Following): void {
    this.byId.delete(followed.id);
    this.onForgotten(followed);
  }

  /**
   * @param claims states that were read before their parts, or with them
   * @param contents their parts, where they are read already
   */
  private async read(
    all: readonly Following[],
    claims: readonly StoredClaim[],
    contents?: readonly StoredPart[],
  ): Promise<void> {
    const parts = contents ?? (await this.replies.partsFrom(all.map(({ id, rows }) => ({ id, number: rows }))));
    const heads = claims.flatMap(({ head }) => head ?? []);
    await this.seals.prepareKeys([...parts, ...heads].map(({ keyId }) => keyId));
    const byId = new Map(claims.map((claim) => [claim.id, claim]));
    for (const followed of all) {
      const claim = byId.get(followed.id);
      // The row was removed, or its request failed: the rest of a reply that has begun is lost.
      if (!claim)
        followed.log.finish(
          followed.log.head ? { kind: 'failed', error: SHARED_FAULTS.idempotency_lost() } : { kind: 'withdrawn' },
        );
      else await this.advance(followed, claim, parts);
    }
  }

  private async advance(followed: Following, claim: StoredClaim, parts: readonly StoredPart[]): Promise<void> {
    const { id, log, caller, isShared } = followed;
    if (claim.generationId !== null) log.generationId ??= claim.generationId;
    const fail = async (fault: 'idempotency_lost' | 'idempotency_not_kept'): Promise<void> =>
      log.finish({
        kind: 'failed',
        error: isShared ? SHARED_FAULTS[fault]() : await this.errors.of(fault, caller, claim),
      });
    if (claim.state === 'dropped') return fail('idempotency_not_kept');
    if (!log.head && claim.head) {
      const head = this.seals.openBytes(claim.head, headContext(id));
      if (!head) return fail('idempotency_not_kept');
      log.open(JSON.parse(head.toString()) as ReplyHead);
    }
    for (const part of parts) {
      if (part.replyId !== id || part.number !== followed.rows) continue;
      const plain = this.seals.openBytes(part, partContext(id, part.number));
      if (!plain) return fail('idempotency_not_kept');
      log.append(plain);
      followed.rows++;
    }
    if (claim.state === 'lost' || (await this.isLost(followed, claim))) return fail('idempotency_lost');
    if (claim.state !== 'kept') return undefined;
    // Parts are read after the state, or with it: those that are missing have been removed.
    if (followed.rows < claim.parts) return fail('idempotency_not_kept');
    return log.finish({ kind: 'complete' });
  }

  /** Whether its process is dead. */
  private async isLost(followed: Following, { id, isOverdue }: StoredClaim): Promise<boolean> {
    const now = performance.now();
    if (!isOverdue) followed.overdueSince = undefined;
    else followed.overdueSince ??= now;
    const { overdueSince } = followed;
    return overdueSince !== undefined && now - overdueSince >= OVERDUE_MS && this.replies.markLost(id);
  }
}

const unavailable = (message: string) => (): GatewayError => new GatewayError('service-unavailable', message);

/** The errors of requests that shared a reply, in place of those that name an idempotency key. */
const SHARED_FAULTS = {
  idempotency_lost: unavailable('The request that this one shared has ended without a reply: connection error.'),
  idempotency_not_kept: unavailable('The rest of the reply that this request shares is not kept: connection error.'),
} as const;
