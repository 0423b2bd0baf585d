import type { Clock } from '../core/time.js';
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
import { releasableSlot } from './limit-slot.js';

/** Subjects whose minute is counted separately at one time. */
const SUBJECTS_MAX = 10_000;

/** The counts of one minute; the next minute begins a new one. */
interface Minute {
  /** The number that `minuteOf` returns. */
  readonly number: number;
  requests: number;
  tokens: number;
  /** Tokens of each part among them; no more parts than tokens. */
  parts?: Map<string, number>;
  /** Absent: this process has counted nothing in Redis. */
  shared?: SharedMinute;
}

/** Counts of this process in a minute that Redis has received. */
export interface SharedMinute {
  requests: number;
  tokens: number;
  parts?: Map<string, number>;
  /** The most requests of all processes that it has reported. */
  seen: number;
}

/** Counts of all processes, as Redis reports them, and those that it lacks. */
interface LearntMinute extends Pick<Minute, 'requests' | 'tokens'> {
  /** Time of these counts by the clock that all replicas share (Redis), epoch milliseconds. */
  readonly at: number;
  readonly part: { readonly id: string; readonly tokens: number } | undefined;
  /** The requests that Redis has. */
  readonly seen: number;
  /** Added there by the reported claim. */
  readonly added: { readonly requests: number; readonly tokens: number } | undefined;
}

/**
 * Counts in this process, by the rules of the Redis script, in bounded memory: subjects past the bound share one minute
 * until others have ended.
 */
export class LocalLimitCounts extends LimitCounts {
  private minutes = new Map<string, Minute>();
  private overflow: Minute = { number: -1, requests: 0, tokens: 0 };
  private sweptAt = -1;
  /**
   * Milliseconds that the replicas' common time is ahead of this process's clock: minutes are those of the common time.
   */
  private aheadMs = 0;

  constructor(
    private readonly clock: Clock,
    private readonly occupied: OccupiedSlots,
    private readonly subjectsMax = SUBJECTS_MAX,
  ) {
    super();
  }

  /** Stored minutes, without the shared one. */
  get size(): number {
    return this.minutes.size;
  }

  /** Number of the current minute by the replicas' common time, as far as it is known. */
  get minuteNow(): number {
    return minuteOf(this.clock.now() + this.aheadMs);
  }

  override async claim(claim: LimitClaim): Promise<LimitClaimResult> {
    return this.claimNow(claim);
  }

  claimNow({ subject, limits, owner, tokens, isFurther = false, part }: LimitClaim): LimitClaimResult {
    const { requestsPerMinute = Infinity, tokensPerMinute = Infinity, concurrency = Infinity } = limits;
    const now = this.clock.now() + this.aheadMs;
    const reserved = reservedTokens(tokens, limits.tokensPerMinute);
    const minute = this.minuteFor(subject, now);
    if (!isFurther && minute.requests >= requestsPerMinute) return refused('requestsPerMinute', 0, now);
    if (minute.tokens + reserved > tokensPerMinute) {
      return refused('tokensPerMinute', tokensPerMinute - minute.tokens, now);
    }
    const partTokens = part ? (minute.parts?.get(part.id) ?? 0) : 0;
    if (part && partTokens + reserved > part.tokensPerMinute) {
      return refused('part', part.tokensPerMinute - partTokens, now);
    }
    if (this.occupied.count(subject) >= concurrency) return refused('concurrency', 0, now);
    if (!isFurther) minute.requests++;
    minute.tokens += reserved;
    if (part) changePart(minute, part.id, reserved);
    if (concurrency < Infinity) this.occupied.add(subject, owner);
    const slot = releasableSlot((tokensUsed) => {
      this.occupied.remove(subject, owner);
      // Has no effect when the minute has ended: then this one is no longer used.
      const change = tokenChange(tokensUsed, reserved);
      minute.tokens = Math.max(0, minute.tokens + change);
      if (part) changePart(minute, part.id, change);
    });
    return { slot };
  }

  /** Sets the minute to the counts of all replicas, so that local counting continues from there. */
  learn(subject: string, { at, requests, tokens, part, seen, added }: LearntMinute): void {
    this.aheadMs = at - this.clock.now();
    const minute = this.minuteFor(subject, at);
    if (minute === this.overflow) return;
    minute.requests = requests;
    minute.tokens = tokens;
    if (part) (minute.parts ??= new Map()).set(part.id, part.tokens);
    const shared = (minute.shared ??= { requests: 0, tokens: 0, seen });
    if (seen > shared.seen) shared.seen = seen;
    if (!added) return;
    shared.requests += added.requests;
    shared.tokens += added.tokens;
    if (part) changePart(shared, part.id, added.tokens);
  }

  /** Redis has counted these of this process. @param number of the minute, as `minuteOf` returns it */
  addShared(
    subject: string,
    number: number,
    { requests, tokens, parts }: Pick<SharedMinute, 'requests' | 'tokens' | 'parts'>,
  ): void {
    const minute = this.minutes.get(subject);
    if (minute?.number !== number) return;
    const shared = (minute.shared ??= { requests: 0, tokens: 0, seen: 0 });
    shared.requests += requests;
    shared.tokens += tokens;
    for (const [id, change] of parts ?? NO_PARTS) changePart(shared, id, change);
  }

  /** Counts of this process in the current minute that Redis has received, by subject. */
  get shared(): readonly (readonly [subject: string, counted: SharedMinute])[] {
    const now = this.minuteNow;
    return [...this.minutes].flatMap(([subject, { number, shared }]) =>
      number === now && shared ? [[subject, { ...shared, parts: new Map(shared.parts) }] as const] : [],
    );
  }

  private minuteFor(subject: string, now: number): Minute {
    const number = minuteOf(now);
    const known = this.minutes.get(subject);
    if (known?.number === number) return known;
    if (!known && this.minutes.size >= this.subjectsMax) this.sweep(number);
    const minute = { number, requests: 0, tokens: 0 };
    if (known || this.minutes.size < this.subjectsMax) this.minutes.set(subject, minute);
    else if (this.overflow.number === number) return this.overflow;
    else this.overflow = minute;
    return minute;
  }

  /** Once a minute: within it no entry becomes outdated. */
  private sweep(number: number): void {
    if (this.sweptAt === number) return;
    this.sweptAt = number;
    for (const [subject, minute] of this.minutes) if (minute.number !== number) this.minutes.delete(subject);
  }
}

const NO_PARTS: ReadonlyMap<string, number> = new Map();

function changePart(minute: Pick<Minute, 'parts'>, id: string, change: number): void {
  minute.parts ??= new Map();
  minute.parts.set(id, Math.max(0, (minute.parts.get(id) ?? 0) + change));
}

const refused = (limit: LimitRefusal['limit'], remaining: number, now: number): LimitClaimResult => ({
  refusal: refusalBy(limit, remaining, now),
});
