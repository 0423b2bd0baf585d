import type { OnApplicationShutdown } from '@nestjs/common';
import type { ModelLimits } from '../core/routing/catalog.js';
import type { Clock } from '../core/time.js';
import { UnsentCounts } from './unsent-counts.js';
import type { OccupiedSlots } from './occupied-slots.js';
import {
  LimitCounts,
  minuteOf,
  refusalBy,
  reservedTokens,
  tokenChange,
  type LimitClaimResult,
  type LimitClaim,
  type LimitRefusal,
} from './limit-counts.js';
import { LIMIT_ORDER, minuteKeyOf, MODEL_LIMITS, NO_LIMIT, type LimitScripts } from './limit-scripts.js';
import type { LocalLimitCounts } from './local-limit-counts.js';
import { releasableSlot } from './limit-slot.js';
import type { RedisOutage } from './redis-outage.js';
import { RestoredCounts } from './restored-counts.js';

/**
 * Milliseconds for which a slot outlives a process that died with it. A call may last longer: its lease is renewed.
 * Short enough that an account misses its slots only briefly, long enough for two renewals to fail.
 */
const LEASE_MS = 30_000;
const RENEWALS_PER_LEASE = 3;
/** Leases renewed by one script, so that none keeps Redis busy. */
const RENEWED_MAX = 500;
/** Releases that wait to be sent to Redis. Past it the oldest are left to the end of their leases. */
const PENDING_RELEASES_MAX = 1_000;

/** The end of a call, as it is sent to Redis. */
interface SlotRelease {
  readonly subject: string;
  readonly owner: string;
  /** The minute of its admission; 0 where it was not admitted. */
  readonly minute: number;
  /** Change of the minute's tokens. */
  readonly change: number;
  /** The part they belong to; empty: none. */
  readonly part: string;
}

/** Counts of one subject in one minute while Redis did not answer. */
interface UnsentMinute {
  readonly minute: number;
  requests: number;
  /** May be negative, as the others: Redis had counted after all what was refused here. */
  tokens: number;
  /** The tokens of each part among them. */
  readonly parts: Map<string, number>;
}

/** Drops the counts of a minute that has ended. */
function joinMinutes(kept: UnsentMinute, later: UnsentMinute): UnsentMinute {
  if (kept.minute !== later.minute) return kept.minute > later.minute ? kept : later;
  kept.requests += later.requests;
  kept.tokens += later.tokens;
  for (const [id, tokens] of later.parts) kept.parts.set(id, tokens + (kept.parts.get(id) ?? 0));
  return kept;
}

/**
 * Counts in Redis, for all replicas together. While Redis is slow or gone it counts in this process, from what Redis
 * last reported, and returns to Redis by itself: it first restores there what Redis has lost, adds the local counts,
 * gives back the released slots and renews those in use.
 */
export class RedisLimitCounts extends LimitCounts implements OnApplicationShutdown {
  private readonly timer: NodeJS.Timeout;
  private readonly unsent = new UnsentCounts<UnsentMinute>({
    join: joinMinutes,
    send: (subject, counted) => this.addThere(subject, counted),
  });
  private readonly restored: RestoredCounts;
  private pendingReleases: SlotRelease[] = [];
  /** Whether this process has counts or releases that Redis lacks. */
  private isBehind = false;

  /** @param occupied the slots that `local` counts as well */
  constructor(
    private readonly redis: LimitScripts,
    private readonly outage: RedisOutage,
    private readonly local: LocalLimitCounts,
    private readonly occupied: OccupiedSlots,
    private readonly clock: Clock,
    private readonly leaseMs = LEASE_MS,
  ) {
    super();
    this.timer = setInterval(() => void this.catchUp(), leaseMs / RENEWALS_PER_LEASE).unref();
    this.restored = new RestoredCounts(redis, outage, local, clock, () => void this.catchUp());
    outage.onPauseEnd(() => {
      if (this.isBehind) void this.catchUp();
    });
  }

  /** Whether Redis must not be called now, or may have lost counts. */
  private get isApart(): boolean {
    return this.outage.isPaused || this.restored.isPending;
  }

  override async claim(claim: LimitClaim): Promise<LimitClaimResult> {
    if (this.isApart) return this.claimHere(claim);
    // Sent on the same connection as the claim, and before it: Redis may still count released slots, and lack slots in
    // use and local counts.
    if (!this.unsent.isEmpty) void this.unsent.send(claim.subject);
    if (this.isBehind) void this.catchUp();
    const answer = this.claimThere(claim);
    try {
      return this.accept(claim, await this.outage.answerOf(answer));
    } catch {
      const claimed = this.claimHere(claim);
      answer.then(
        (late) => this.acceptLate(claim, late),
        () => undefined,
      );
      // Redis may still execute the script that it was too slow to answer: that would occupy a slot without an owner.
      if ('refusal' in claimed) this.release(claim);
      return claimed;
    }
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private claimThere({ subject, limits, owner, tokens, isFurther, part }: LimitClaim): Promise<ClaimFigures> {
    return this.redis
      .claimLimits(
        ...keysOf(subject),
        ...MODEL_LIMITS.map((limit) => limits[limit] ?? NO_LIMIT),
        reservedTokens(tokens, limits.tokensPerMinute),
        owner,
        this.leaseMs,
        this.clock.aheadMs,
        part?.id ?? '',
        part?.tokensPerMinute ?? NO_LIMIT,
        isFurther ? 0 : 1,
      )
      .then(readClaimFigures);
  }

  private accept(claim: LimitClaim, answer: ClaimFigures): LimitClaimResult {
    const { subject, limits, owner, tokens } = claim;
    const { refusedLimit, now } = answer;
    this.learn(claim, answer);
    const limit = LIMIT_ORDER[refusedLimit - 1];
    if (limit) return { refusal: refusalBy(limit, remainingOf(claim, limit, answer), now) };
    if (limits.concurrency !== undefined) this.occupied.add(subject, owner);
    const slot = releasableSlot((tokensUsed) => {
      this.occupied.remove(subject, owner);
      this.release(claim, minuteOf(now), tokenChange(tokensUsed, reservedTokens(tokens, limits.tokensPerMinute)));
    });
    return { slot };
  }

  /** The claim was decided here meanwhile: what Redis has counted of it must not be added there again. */
  private acceptLate(claim: LimitClaim, answer: ClaimFigures): void {
    this.outage.answeredLate();
    if (answer.refusedLimit === 0) this.countUnsent(claim, minuteOf(answer.now), -1);
    this.learn(claim, answer);
  }

  /** Sets the local counts to those of Redis plus the counts that Redis has not confirmed. */
  private learn(claim: LimitClaim, { now, refusedLimit, ...answer }: ClaimFigures): void {
    const { subject, limits, part } = claim;
    if (!hasMinute(limits)) return;
    let { requests, tokens, ofPart } = answer;
    for (const counted of this.unsent.of(subject)) {
      if (counted.minute !== minuteOf(now)) continue;
      requests += counted.requests;
      tokens += counted.tokens;
      if (part) ofPart += counted.parts.get(part.id) ?? 0;
    }
    this.local.learn(subject, {
      at: now,
      requests,
      tokens,
      part: part && { id: part.id, tokens: ofPart },
      seen: answer.requests,
      added: refusedLimit === 0 ? countsOf(claim) : undefined,
    });
  }

  private claimHere(claim: LimitClaim): LimitClaimResult {
    const { limits, tokens } = claim;
    this.isBehind = true;
    const claimed = this.local.claimNow(claim);
    if ('refusal' in claimed) return claimed;
    const minute = this.local.minuteNow;
    this.countUnsent(claim, minute, 1);
    const slot = releasableSlot((tokensUsed) => {
      claimed.slot.release(tokensUsed);
      this.release(claim, minute, tokenChange(tokensUsed, reservedTokens(tokens, limits.tokensPerMinute)));
    });
    return { slot };
  }

  /** @param times 1, or -1 where a locally counted claim turns out to be counted in Redis */
  private countUnsent(claim: LimitClaim, minute: number, times: 1 | -1): void {
    const { subject, limits, part } = claim;
    if (!hasMinute(limits)) return;
    this.isBehind = true;
    const counted = countsOf(claim);
    const tokens = times * counted.tokens;
    this.unsent.add(subject, { minute, requests: times * counted.requests, tokens, parts: partOf(part?.id, tokens) });
  }

  private async addThere(subject: string, { minute, requests, tokens, parts }: UnsentMinute): Promise<void> {
    if ([requests, tokens, ...parts.values()].every((count) => count === 0)) return;
    await this.redis.addToMinute(
      minuteKeyOf(subject),
      minute,
      requests,
      tokens,
      this.clock.aheadMs,
      ...[...parts].flat(),
    );
    this.local.addShared(subject, minute, { requests, tokens, parts });
  }

  private release({ subject, limits, owner, part }: LimitClaim, minute = 0, change = 0): void {
    if (limits.concurrency === undefined && change === 0) return;
    void this.sendRelease({ subject, owner, minute, change, part: part?.id ?? '' });
  }

  private async sendRelease(release: SlotRelease): Promise<void> {
    const { subject, owner, minute, change, part } = release;
    if (this.isApart) {
      this.deferRelease(release);
      return;
    }
    if (!this.unsent.isEmpty) void this.unsent.send(subject);
    try {
      await this.redis.releaseLimits(...keysOf(subject), owner, minute, change, part);
      if (change !== 0)
        this.local.addShared(subject, minute, { requests: 0, tokens: change, parts: partOf(part, change) });
    } catch {
      this.outage.failed();
      // The tokens may have been counted, and must not be counted twice. Giving a slot back is idempotent.
      this.deferRelease({ ...release, change: 0 });
    }
  }

  private deferRelease(release: SlotRelease): void {
    this.isBehind = true;
    this.pendingReleases.push(release);
    if (this.pendingReleases.length > PENDING_RELEASES_MAX) this.pendingReleases.shift();
  }

  /** Adds the local counts, gives back released slots, and renews the leases of those in use. */
  private async catchUp(): Promise<void> {
    if (this.isApart) return;
    this.isBehind = false;
    const adding = this.unsent.sendAll();
    const releases = this.pendingReleases;
    this.pendingReleases = [];
    for (const release of releases) void this.sendRelease(release);
    try {
      await Promise.all(this.occupied.subjects().flatMap((subject) => this.renewalsOf(subject)));
      if (await adding) return;
    } catch {
      // A failed renewal counts as a failure to add the counts.
    }
    this.outage.failed();
    this.isBehind = true;
  }

  private renewalsOf(subject: string): Promise<unknown>[] {
    const owners = this.occupied.ownersOf(subject);
    const [, slotsKey] = keysOf(subject);
    const renewals: Promise<unknown>[] = [];
    for (let start = 0; start < owners.length; start += RENEWED_MAX) {
      const some = owners.slice(start, start + RENEWED_MAX);
      renewals.push(this.redis.renewSlots(slotsKey, this.leaseMs, this.clock.aheadMs, ...some));
    }
    return renewals;
  }
}

const keysOf = (subject: string): [minuteKey: string, slotsKey: string] => [
  minuteKeyOf(subject),
  `fairlead:limits:{${subject}}:slots`,
];

/** The numbers that a claim adds to the counts of its minute. */
const countsOf = ({
  limits,
  tokens,
  isFurther,
}: LimitClaim): { readonly requests: number; readonly tokens: number } => ({
  requests: isFurther ? 0 : 1,
  tokens: reservedTokens(tokens, limits.tokensPerMinute),
});

/** @param id absent or empty: the tokens belong to no part */
const partOf = (id: string | undefined, tokens: number): Map<string, number> => new Map(id ? [[id, tokens]] : []);

const hasMinute = ({ requestsPerMinute, tokensPerMinute }: ModelLimits): boolean =>
  requestsPerMinute !== undefined || tokensPerMinute !== undefined;

function remainingOf({ limits, part }: LimitClaim, limit: LimitRefusal['limit'], counted: ClaimFigures): number {
  if (limit === 'part') return (part?.tokensPerMinute ?? 0) - counted.ofPart;
  return limit === 'tokensPerMinute' ? (limits.tokensPerMinute ?? 0) - counted.tokens : 0;
}

interface ClaimFigures {
  /** Position of the limit that refused, in the order of all; 0 where none did. */
  readonly refusedLimit: number;
  readonly requests: number;
  readonly tokens: number;
  readonly ofPart: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

function readClaimFigures(answer: unknown): ClaimFigures {
  if (!Array.isArray(answer) || answer.length !== 5 || !answer.every(Number.isSafeInteger)) {
    throw new TypeError('The claiming script gave no figures.');
  }
  const [refusedLimit, requests, tokens, ofPart, now] = answer as [number, number, number, number, number];
  return { refusedLimit, requests, tokens, ofPart, now };
}
