import type { OnApplicationShutdown } from '@nestjs/common';
import type { ModelLimits } from '../core/routing/catalog.js';
import type { Clock } from '../core/time.js';
import { ApartCounts } from './apart-counts.js';
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
  /** Of its admission; 0 where it was not admitted. */
  readonly minute: number;
  /** Of the tokens of the minute. */
  readonly change: number;
  /** Whose part of them it is; empty: nobody's. */
  readonly part: string;
}

/** What was counted of one subject in one minute while Redis did not answer. */
interface ApartMinute {
  readonly minute: number;
  requests: number;
  /** May be below 0, as the others: Redis had counted after all what was refused here. */
  tokens: number;
  /** Of them, what each part took. */
  readonly parts: Map<string, number>;
}

/** What was counted in a minute that has ended is left out. */
function joinMinutes(kept: ApartMinute, later: ApartMinute): ApartMinute {
  if (kept.minute !== later.minute) return kept.minute > later.minute ? kept : later;
  kept.requests += later.requests;
  kept.tokens += later.tokens;
  for (const [id, tokens] of later.parts) kept.parts.set(id, tokens + (kept.parts.get(id) ?? 0));
  return kept;
}

/**
 * Counts in Redis, for all replicas together. While Redis is slow or gone it counts in this process, from what Redis
 * last reported, and returns to Redis by itself: first what was counted meanwhile is added there, with the slots that
 * were left, and those in use.
 */
export class RedisLimitCounts extends LimitCounts implements OnApplicationShutdown {
  private readonly timer: NodeJS.Timeout;
  private readonly apart = new ApartCounts<ApartMinute>({
    join: joinMinutes,
    send: (subject, counted) => this.addThere(subject, counted),
  });
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
    outage.onPauseEnd(() => {
      if (this.isBehind) void this.catchUp();
    });
  }

  override async claim(claim: LimitClaim): Promise<Claimed> {
    if (this.outage.isPaused) return this.claimHere(claim);
    // On the same connection as the claim, and before it: Redis may count slots that were left, and
    // miss some that are in use, and what was counted here.
    if (!this.apart.isEmpty) void this.apart.send(claim.subject);
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
      // Redis may yet run what it was too slow to answer: then a slot is taken there that nobody has.
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

  private accept(claim: LimitClaim, answer: ClaimFigures): Claimed {
    const { subject, limits, owner, tokens } = claim;
    const { place, now } = answer;
    this.learn(claim, answer);
    const limit = LIMIT_ORDER[place - 1];
    if (limit) return { refusal: refusalBy(limit, remainingOf(claim, limit, answer), now) };
    if (limits.concurrency !== undefined) this.occupied.add(subject, owner);
    const slot = releasableSlot((tokensUsed) => {
      this.occupied.remove(subject, owner);
      this.release(claim, minuteOf(now), tokenChange(tokensUsed, reservedTokens(tokens, limits.tokensPerMinute)));
    });
    return { slot };
  }

  /** The claim was decided here meanwhile: what Redis has counted of it is no longer to be added there. */
  private acceptLate(claim: LimitClaim, answer: ClaimFigures): void {
    this.outage.answeredLate();
    if (answer.place === 0) this.countApart(claim, minuteOf(answer.now), -1);
    this.learn(claim, answer);
  }

  /** What Redis has counted, and beside it what it is not known to have. */
  private learn({ subject, limits, part }: LimitClaim, { now, ...answer }: ClaimFigures): void {
    if (!hasMinute(limits)) return;
    let { requests, tokens, ofPart } = answer;
    for (const counted of this.apart.of(subject)) {
      if (counted.minute !== minuteOf(now)) continue;
      requests += counted.requests;
      tokens += counted.tokens;
      if (part) ofPart += counted.parts.get(part.id) ?? 0;
    }
    this.local.learn(subject, now, { requests, tokens }, part && { id: part.id, tokens: ofPart });
  }

  private claimHere(claim: LimitClaim): Claimed {
    const { limits, tokens } = claim;
    this.isBehind = true;
    const claimed = this.local.claimNow(claim);
    if ('refusal' in claimed) return claimed;
    const minute = this.local.minuteNow;
    this.countApart(claim, minute, 1);
    const slot = releasableSlot((tokensUsed) => {
      claimed.slot.release(tokensUsed);
      this.release(claim, minute, tokenChange(tokensUsed, reservedTokens(tokens, limits.tokensPerMinute)));
    });
    return { slot };
  }

  /** @param times 1, or -1 where one that was counted apart is counted in Redis */
  private countApart({ subject, limits, tokens, isFurther, part }: LimitClaim, minute: number, times: 1 | -1): void {
    if (!hasMinute(limits)) return;
    this.isBehind = true;
    const reserved = times * reservedTokens(tokens, limits.tokensPerMinute);
    const parts = new Map(part ? [[part.id, reserved]] : []);
    this.apart.add(subject, { minute, requests: isFurther ? 0 : times, tokens: reserved, parts });
  }

  private async addThere(subject: string, { minute, requests, tokens, parts }: ApartMinute): Promise<void> {
    if ([requests, tokens, ...parts.values()].every((count) => count === 0)) return;
    const [minuteKey] = keysOf(subject);
    await this.redis.addToMinute(minuteKey, minute, requests, tokens, this.clock.aheadMs, ...[...parts].flat());
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
    if (!this.apart.isEmpty) void this.apart.send(subject);
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

  /** Adds what was counted apart, gives back the slots that were left, and renews the leases of those in use. */
  private async catchUp(): Promise<void> {
    if (this.outage.isPaused) return;
    this.isBehind = false;
    const adding = this.apart.sendAll();
    const releases = this.pendingReleases;
    this.pendingReleases = [];
    for (const release of releases) void this.sendRelease(release);
    try {
      await Promise.all(this.occupied.subjects().flatMap((subject) => this.renewalsOf(subject)));
      if (await adding) return;
    } catch {
      // As where nothing could be added.
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
