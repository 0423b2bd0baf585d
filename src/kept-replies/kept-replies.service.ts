import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { newUuid } from '../core/ids.js';
import { Clock } from '../core/time.js';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { RecurringJob } from '../shared/recurring-job.js';
import { readInTime, withinTime } from '../shared/within-time.js';
import { ReplySeals } from '../vault/seal-ring.js';
import { FollowedReplies, OVERDUE_MS } from './followed-replies.js';
import { IdempotencyErrors } from './idempotency-errors.js';
import { KeptContents } from './kept-contents.js';
import { KeptRepliesRepository, type StoredClaim, type StoredReply } from './kept-replies.repository.js';
import { RedisReplies, type RedisReply } from './redis-replies.js';
import { keyOf, nameOf, type NamedReply, type ReplyClaim } from './reply-claim.js';
import type { LogEnd, ReplyLog } from './reply-log.js';
import { WrittenReplies } from './written-replies.js';

/** How often open replies are written, and those of other replicas read, in milliseconds. Chosen. */
const ROUND_MS = 150;
/** Limit of late claims that wait to be removed; past it the oldest count as lost when their leases end. Chosen. */
const CLAIMS_TO_REMOVE_MAX = 10_000;

/** With its fingerprint as it is stored, and as it is. */
type FingerprintedReply<Claim extends NamedReply> = Claim & { readonly plainFingerprint: string };

/** The answer to a claim: the reply of the first request with its name. */
export interface ClaimResult {
  readonly log: ReplyLog;
  /** This request is the first one: it has to run, and to write the log. */
  readonly isFirst: boolean;
}

/** A reply of the response cache, or the log of this request, which has to fill it. */
export interface CachedReply extends ClaimResult, RedisReply {}

/** A reply that is open in this process. */
interface OpenReply {
  readonly id: string;
  readonly fingerprint: string;
  readonly resumable: boolean;
  readonly keyHash: string;
  readonly createdAt: Date;
  readonly log: ReplyLog;
}

/**
 * Kept replies over all replicas: one process runs a request and writes its reply, here and, sealed, in the database;
 * who repeats the request reads it in the same process from memory, in others from the database.
 */
@Injectable()
export class KeptReplies implements BeforeApplicationShutdown {
  private readonly logger = new Logger('kept-replies');
  private readonly owner: string;
  private readonly written: WrittenReplies;
  private readonly followed: FollowedReplies;
  private readonly open = new Map<string, OpenReply>();
  /** Ids of claims of refused requests that may be stored: to be removed. */
  private readonly claimsToRemove = new Set<string>();
  private readonly round = new RecurringJob(() => this.runRound(), this.logger);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly replies: KeptRepliesRepository,
    private readonly contents: KeptContents,
    private readonly shared: RedisReplies,
    private readonly seals: ReplySeals,
    private readonly errors: IdempotencyErrors,
    private readonly clock: Clock,
  ) {
    this.owner = newUuid(clock.now());
    this.written = new WrittenReplies(replies, seals, this.owner, ({ claim, log }) => this.close(keyOf(claim), log));
    this.followed = new FollowedReplies(replies, seals, errors, ({ key, log }) => {
      if (key !== undefined) this.close(key, log);
    });
  }

  /** Stores the replies that have ended; replies under way are lost. */
  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.round.runAnew();
    await this.round.end();
  }

  /**
   * The reply of the first request of that name, which may be this one.
   * @throws GatewayError `conflict` where the first request was another one, its reply is not kept, or was lost;
   *   `service-unavailable` when the store does not answer in time
   */
  async claim(given: ReplyClaim): Promise<ClaimResult> {
    await this.seals.ready();
    const claim = this.sealed(given);
    for (;;) {
      const known = await this.findOpen(claim);
      if (known) return { log: known, isFirst: false };
      const begun = await this.begin(claim);
      if (begun) return { log: begun, isFirst: true };
      const log = await this.findStored(claim);
      // Undefined: it was withdrawn, or has expired, and this request may be the first.
      if (log) return { log, isFirst: false };
    }
  }

  /**
   * The reply of the first request of that name, without a claim to it.
   * @returns undefined where there is none
   * @throws GatewayError as `claim`
   */
  async find(given: NamedReply): Promise<ReplyLog | undefined> {
    await this.seals.ready();
    const claim = this.sealed(given);
    return (await this.findOpen(claim)) ?? this.findStored(claim);
  }

  /**
   * The stored reply of the cache, or, where there is none, the log that this request has to fill.
   * @param options `clears`: a stored reply is replaced; `shares`: one that is being written is taken too
   * @returns undefined where an equal request is under way that this one does not share
   * @throws GatewayError `service-unavailable` when the store does not answer in time
   */
  async claimCached(
    given: ReplyClaim,
    { clears, shares }: { readonly clears: boolean; readonly shares: boolean },
  ): Promise<CachedReply | undefined> {
    await this.seals.ready();
    const claim = this.sealed(given);
    const expiresInMs = claim.ttlAfterEndMs ?? claim.ttlMs;
    if (clears) {
      const removed = Promise.all([this.replies.removeNamed(nameOf(claim)), this.shared.remove(nameOf(claim))]);
      await readInTime('The response cache', removed);
      this.open.delete(keyOf(claim));
    }
    for (;;) {
      const known = this.open.get(keyOf(claim));
      if (known?.log.isKept) {
        const { log } = known;
        if (!log.end) return shares ? { log, isFirst: false, ageMs: 0, expiresInMs } : undefined;
        const life = this.lifeOf(log);
        if (life && life.expiresInMs > 0) return { log, isFirst: false, ...life };
      }
      const shared = await this.shared.find(nameOf(claim));
      if (shared) return { ...shared, isFirst: false };
      const stored = await readInTime('The response cache', this.replies.find(nameOf(claim)));
      if (!stored) {
        const log = await this.begin(claim);
        if (log) return { log, isFirst: true, ageMs: 0, expiresInMs };
      } else if (stored.state === 'kept') {
        const log = await this.logOf(stored, { caller: claim.caller, mayKeep: true });
        // The stored reply cannot be opened any more.
        if (log.end?.kind === 'failed') {
          await this.replies.remove([stored.id]);
          continue;
        }
        const ageMs = stored.endedMsAgo ?? 0;
        // Redis has lost it.
        if (log.end?.kind === 'complete') void this.shared.store(nameOf(claim), log, ageMs, stored.expiresInMs);
        return { log, isFirst: false, ageMs, expiresInMs: stored.expiresInMs };
      } else if (stored.state === 'running' && !stored.isOverdue) {
        return shares ? { log: await this.logOf(stored, claim), isFirst: false, ageMs: 0, expiresInMs } : undefined;
      } else await this.replies.remove([stored.id]);
    }
  }

  /**
   * The stream of a generation that was begun as resumable by the same key; undefined: there is none.
   * @param options `sinceEndMs`: of streams that ended longer ago there is none; `mayKeep`: as in a claim
   * @throws GatewayError as `claim`
   */
  async findStream(
    caller: Caller,
    generationId: string,
    { sinceEndMs, mayKeep }: { readonly sinceEndMs: number; readonly mayKeep: boolean },
  ): Promise<ReplyLog | undefined> {
    for (const known of this.open.values()) {
      const { log, resumable, keyHash } = known;
      if (!resumable || keyHash !== caller.keyHash || log.generationId !== generationId) continue;
      await this.requireKept({ caller, mayKeep }, known);
      return log;
    }
    const stored = await readInTime('The stream', this.replies.findStream(caller.keyHash, generationId));
    if (!stored || (stored.endedMsAgo !== null && stored.endedMsAgo > sinceEndMs)) return undefined;
    return this.logOf(stored, { caller, mayKeep });
  }

  /** Ends a request that does not run again. The end is stored, if the database answers, before readers see it. */
  async complete(log: ReplyLog, end: LogEnd = { kind: 'complete' }): Promise<void> {
    const written = this.written.find(log);
    if (written) {
      this.written.markEnded(log);
      // A failed round is repeated: until then the reply is replayed from memory.
      await withinTime(this.round.runAnew()).catch(() => undefined);
      const { claim, endState } = written;
      // Only what the database has is copied: it may have been replaced or dropped meanwhile.
      if (claim.kind === 'cache' && endState === 'kept')
        await this.shared.store(nameOf(claim), log, 0, claim.ttlAfterEndMs ?? claim.ttlMs);
    }
    log.finish(end);
  }

  /** The request was refused: a repetition runs again. Requests that have joined it get the same refusal. */
  async withdraw(log: ReplyLog, end: LogEnd): Promise<void> {
    const written = this.written.find(log);
    if (written) {
      this.written.release(log);
      try {
        await withinTime(this.replies.remove([written.id]));
      } catch (error) {
        if (!isDatabaseUnavailable(error)) this.logger.error(error);
        this.abandon(written.id);
      }
      this.close(keyOf(written.claim), log);
    }
    log.finish(end);
  }

  /** Runs a round at once, for tests and callers that cannot wait. Never throws. */
  async runOnce(): Promise<void> {
    await this.round.runAnew();
  }

  /**
   * The claim as it is stored. The rows alone must not confirm a guess of the body: the fingerprint, and a name that
   * was made of one, are hashed under a key of the vault. Names that callers chose are found again without it.
   */
  private sealed<Claim extends NamedReply>(claim: Claim): FingerprintedReply<Claim> {
    const { kind, name, fingerprint: plainFingerprint } = claim;
    const fingerprint = this.seals.keyedHash(plainFingerprint);
    return { ...claim, fingerprint, plainFingerprint, name: kind === 'cache' ? this.seals.keyedHash(name) : name };
  }

  /** Age and rest of a reply that has ended here and waits for the database; undefined: it does not. */
  private lifeOf(log: ReplyLog): Pick<CachedReply, 'ageMs' | 'expiresInMs'> | undefined {
    const { claim, endedAt } = this.written.find(log) ?? {};
    if (!claim || endedAt === undefined) return undefined;
    const ageMs = performance.now() - endedAt;
    return { ageMs, expiresInMs: (claim.ttlAfterEndMs ?? claim.ttlMs) - ageMs };
  }

  private async findOpen(claim: FingerprintedReply<NamedReply>): Promise<ReplyLog | undefined> {
    const known = this.open.get(keyOf(claim));
    if (!known) return undefined;
    await this.requireSame(claim, known);
    await this.requireKept(claim, known);
    return known.log;
  }

  private async findStored(claim: FingerprintedReply<NamedReply>): Promise<ReplyLog | undefined> {
    const stored = await readInTime('The idempotency key', this.replies.find(nameOf(claim)));
    if (!stored) return undefined;
    if (await this.isOther(claim, stored.fingerprint))
      throw await this.errors.of('idempotency_conflict', claim.caller, stored);
    // During that wait another request of this process may have claimed the name.
    return (await this.findOpen(claim)) ?? this.logOf(stored, claim);
  }

  private async begin(claim: ReplyClaim): Promise<ReplyLog | undefined> {
    const { caller, kind, name, fingerprint, generationId, mayKeep, resumable, ttlMs } = claim;
    const isKept = mayKeep && this.written.hasMemory;
    const id = newUuid(this.clock.now());
    const { accountId, keyHash } = caller;
    const row = {
      id,
      accountId,
      keyHash,
      kind,
      name,
      fingerprint,
      generationId,
      isKept,
      resumable,
      ttlMs,
    };
    const claiming = this.replies.claim({ ...row, owner: this.owner });
    const createdAt = await readInTime('The idempotency key', claiming).catch((error: unknown) => {
      this.removeLate(id, claiming);
      throw error;
    });
    if (!createdAt) return undefined;
    this.contents.noteAdded({ keyHash, kind, name });
    const log = this.written.add(id, claim, isKept);
    this.open.set(keyOf(claim), { id, fingerprint, resumable, keyHash, createdAt, log });
    this.plan();
    return log;
  }

  /** The request of this claim does not run: if the claim was stored, a repetition must not count it as lost. */
  private removeLate(id: string, claiming: Promise<Date | undefined>): void {
    const abandon = (): void => this.abandon(id);
    claiming.then((createdAt) => createdAt && abandon(), abandon);
  }

  private abandon(id: string): void {
    const [oldest] = this.claimsToRemove;
    if (oldest !== undefined && this.claimsToRemove.size >= CLAIMS_TO_REMOVE_MAX) this.claimsToRemove.delete(oldest);
    this.claimsToRemove.add(id);
    this.plan();
  }

  /**
   * Whether the first request was another one. Unknown where its fingerprint is under a key that does not open here:
   * its contents do not open either, and it counts as not kept.
   */
  private async isOther(
    { fingerprint, plainFingerprint }: FingerprintedReply<NamedReply>,
    first: string,
  ): Promise<boolean> {
    return first !== fingerprint && (await this.seals.isHashOf(plainFingerprint, first)) === false;
  }

  private async requireSame(
    claim: FingerprintedReply<NamedReply>,
    { fingerprint, createdAt, log }: OpenReply,
  ): Promise<void> {
    if (!(await this.isOther(claim, fingerprint))) return;
    const of = { createdAt, generationId: log.generationId ?? null };
    throw await this.errors.of('idempotency_conflict', claim.caller, of);
  }

  private async requireKept(
    { caller, mayKeep }: Pick<ReplyClaim, 'caller' | 'mayKeep'>,
    { id, createdAt, log }: OpenReply,
  ): Promise<void> {
    if (!mayKeep) await this.drop(id, log);
    if (log.isKept) return;
    throw await this.errors.of('idempotency_not_kept', caller, { createdAt, generationId: log.generationId ?? null });
  }

  /** Data must not be retained any more since it was stored. */
  private async drop(id: string, log?: ReplyLog): Promise<void> {
    log?.drop();
    await readInTime('The reply', this.replies.drop([id]));
  }

  private async logOf(
    stored: StoredClaim & Partial<StoredReply>,
    claim: Pick<ReplyClaim, 'caller' | 'mayKeep'> & Partial<ReplyClaim>,
  ): Promise<ReplyLog> {
    if (!claim.mayKeep) await this.drop(stored.id);
    const isLost = async (): Promise<boolean> => {
      await delay(OVERDUE_MS);
      return this.replies.markLost(stored.id);
    };
    if (stored.state === 'lost' || (stored.isOverdue && (await isLost())))
      throw await this.errors.of('idempotency_lost', claim.caller, stored);
    if (!claim.mayKeep || stored.state === 'dropped')
      throw await this.errors.of('idempotency_not_kept', claim.caller, stored);
    const { caller, kind, name } = claim;
    const key = kind && name !== undefined ? keyOf({ caller, kind, name }) : undefined;
    const { log, isNew } = await this.followed.follow(stored, { caller, key, isShared: kind === 'cache' });
    if (!isNew) return log;
    if (key !== undefined) {
      const { id, fingerprint, createdAt } = stored;
      this.open.set(key, { id, fingerprint, resumable: false, keyHash: caller.keyHash, createdAt, log });
    }
    this.plan();
    return log;
  }

  private close(key: string, log: ReplyLog): void {
    if (this.open.get(key)?.log === log) this.open.delete(key);
  }

  /** The next round comes in its time, if there is work. */
  private plan(): void {
    if (this.timer || this.round.isEnding) return;
    if (this.written.size + this.followed.size + this.claimsToRemove.size === 0) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.round.run().then(() => this.plan());
    }, ROUND_MS).unref();
  }

  private async runRound(): Promise<void> {
    await this.removeAbandoned();
    await this.written.writeDue();
    await this.followed.readNew();
  }

  private async removeAbandoned(): Promise<void> {
    if (this.claimsToRemove.size === 0) return;
    const ids = [...this.claimsToRemove];
    await this.replies.remove(ids);
    for (const id of ids) this.claimsToRemove.delete(id);
  }
}
