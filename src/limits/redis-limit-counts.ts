import type { OnApplicationShutdown } from '@nestjs/common';
import type { ModelLimits } from '../core/routing/catalog.js';
import type { Clock } from '../core/time.js';
import type { OccupiedSlots } from './occupied-slots.js';
import {
  LimitCounts,
  minuteOf,
  refusalBy,
  reservedTokens,
  tokenChange,
  type Claimed,
  type LimitClaim,
  type LimitRefusal,
} from './limit-counts.js';
import { LIMIT_ORDER, MODEL_LIMITS, NO_LIMIT, type LimitScripts } from './limit-scripts.js';
import type { LocalLimitCounts } from './local-limit-counts.js';
import { releasableSlot } from './limit-slot.js';
import type { RedisOutage } from './redis-outage.js';

/**
 * How long a slot outlives the process that died with it, in milliseconds. A call may last longer: its lease is
 * renewed. Short enough that an account does not miss its slots for long, long enough for two renewals to fail.
 */
const LEASE_MS = 30_000;
const RENEWALS_PER_LEASE = 3;
/** Leases renewed by one script, so that none keeps Redis busy. */
const RENEWED_MAX = 500;
/** Ends of calls that Redis is told later. Past it the oldest are left to the end of their leases. */
const PENDING_RELEASES_MAX = 1_000;

/** The end of a call, as Redis is told it. */
interface SlotRelease {
  readonly subject: string;
  readonly owner: string;
  /** Of its admission; 0 where its tokens were not counted there. */
  readonly minute: number;
  /** Of the tokens of the minute. */
  readonly change: number;
  /** Whose part of them it is; empty: nobody's. */
  readonly part: string;
}

/**
 * Counts in Redis, for all replicas together. While Redis is slow or gone it counts in this process, from what Redis
 * last said, and returns to Redis by itself; it is first told which slots were left, and which are in use.
 */
export class RedisLimitCounts extends LimitCounts implements OnApplicationShutdown {
  private readonly timer: NodeJS.Timeout;
  private pendingReleases: SlotRelease[] = [];
  /** Something happened here that Redis does not know. */
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
  }

  override async claim(claim: LimitClaim): Promise<Claimed> {
    if (this.outage.isPaused) return this.claimHere(claim);
    // On the same connection as the claim, and before it: Redis may count slots that were left, and
    // miss some that are in use.
    if (this.isBehind) void this.catchUp();
    try {
      return await this.claimThere(claim);
    } catch {
      this.outage.failed();
      const claimed = this.claimHere(claim);
      // Redis may yet run what it was too slow to answer: then a slot is taken there that nobody has.
      if ('refusal' in claimed) this.release(claim);
      return claimed;
    }
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async claimThere(claim: LimitClaim): Promise<Claimed> {
    const { subject, limits, owner, tokens, isFurther = false, part } = claim;
    const reserved = reservedTokens(tokens, limits.tokensPerMinute);
    const answer = readClaimFigures(
      await this.redis.claimLimits(
        ...keysOf(subject),
        ...MODEL_LIMITS.map((limit) => limits[limit] ?? NO_LIMIT),
        reserved,
        owner,
        this.leaseMs,
        this.clock.aheadMs,
        part?.id ?? '',
        part?.tokensPerMinute ?? NO_LIMIT,
        isFurther ? 0 : 1,
      ),
    );
    this.outage.answered();
    const { place, requests, now } = answer;
    const minute = minuteOf(now);
    if (hasMinute(limits)) {
      const counted = { requests, tokens: answer.tokens };
      this.local.learn(subject, now, counted, part && { id: part.id, tokens: answer.ofPart });
    }
    const limit = LIMIT_ORDER[place - 1];
    if (limit) return { refusal: refusalBy(limit, remainingOf(claim, limit, answer), now) };
    if (limits.concurrency !== undefined) this.occupied.add(subject, owner);
    const slot = releasableSlot((tokensUsed) => {
      this.occupied.remove(subject, owner);
      this.release(claim, minute, tokenChange(tokensUsed, reserved));
    });
    return { slot };
  }

  private claimHere(claim: LimitClaim): Claimed {
    this.isBehind = true;
    const claimed = this.local.claimNow(claim);
    if ('refusal' in claimed) return claimed;
    const slot = releasableSlot((tokensUsed) => {
      claimed.slot.release(tokensUsed);
      // The slot may have become known there; its tokens were never counted there.
      this.release(claim);
    });
    return { slot };
  }

  private release({ subject, limits, owner, part }: LimitClaim, minute = 0, change = 0): void {
    if (limits.concurrency === undefined && change === 0) return;
    void this.sendRelease({ subject, owner, minute, change, part: part?.id ?? '' });
  }

  private async sendRelease(release: SlotRelease): Promise<void> {
    const { subject, owner, minute, change, part } = release;
    if (this.outage.isPaused) {
      this.deferRelease(release);
      return;
    }
    try {
      await this.redis.releaseLimits(...keysOf(subject), owner, minute, change, part);
    } catch {
      this.outage.failed();
      // The tokens may have been counted, and are not to be counted twice. A slot is given back as often as one likes.
      this.deferRelease({ ...release, change: 0 });
    }
  }

  private deferRelease(release: SlotRelease): void {
    this.isBehind = true;
    this.pendingReleases.push(release);
    if (this.pendingReleases.length > PENDING_RELEASES_MAX) this.pendingReleases.shift();
  }

  /** Tells Redis of slots that were left, and renews the leases of those in use. */
  private async catchUp(): Promise<void> {
    if (this.outage.isPaused) return;
    this.isBehind = false;
    const releases = this.pendingReleases;
    this.pendingReleases = [];
    for (const release of releases) void this.sendRelease(release);
    try {
      await Promise.all(this.occupied.subjects().flatMap((subject) => this.renewalsOf(subject)));
    } catch {
      this.outage.failed();
      this.isBehind = true;
    }
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

/** The braces keep both in one slot of a cluster. */
const keysOf = (subject: string): [minuteKey: string, slotsKey: string] => [
  `fairlead:limits:{${subject}}:minute`,
  `fairlead:limits:{${subject}}:slots`,
];

const hasMinute = ({ requestsPerMinute, tokensPerMinute }: ModelLimits): boolean =>
  requestsPerMinute !== undefined || tokensPerMinute !== undefined;

function remainingOf({ limits, part }: LimitClaim, limit: LimitRefusal['limit'], counted: ClaimFigures): number {
  if (limit === 'part') return (part?.tokensPerMinute ?? 0) - counted.ofPart;
  return limit === 'tokensPerMinute' ? (limits.tokensPerMinute ?? 0) - counted.tokens : 0;
}

interface ClaimFigures {
  /** Of the limit that refused, in the order of all; 0 where none did. */
  readonly place: number;
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
  const [place, requests, tokens, ofPart, now] = answer as [number, number, number, number, number];
  return { place, requests, tokens, ofPart, now };
}
