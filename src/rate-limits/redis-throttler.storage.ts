import type { OnApplicationShutdown } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import type { Caller } from '../core/caller.js';
import type { Secret } from '../core/secret.js';
import type { Clock } from '../core/time.js';
import type { Rate } from '../shared/variables/grammars.js';
import { UnsentCounts } from './unsent-counts.js';
import {
  callsOf,
  joinCalls,
  joinHits,
  timesOf,
  type UnsentCalls,
  type UnsentHits,
  type CountedFailure,
  type CountedWaste,
} from './unsent-floods.js';
import { CONTENTION_MS, groupOf, shareOf, type SharedCounts, type WindowCount } from './call-windows.js';
import { FLOOD_LIMITS, FloodStorage, type FloodRates, type FloodRefusal } from './flood-storage.js';
import { LIMIT_SCRIPTS, type FloodScripts, type LimitScripts } from './limit-scripts.js';
import type { LocalThrottlerStorage } from './local-throttler.storage.js';
import { RedisOutage } from './redis-outage.js';

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Longest time to connect, in milliseconds. */
const CONNECT_MS_MAX = 1_500;
/** Longest wait for a socket to close, in milliseconds. */
const CLOSE_MS_MAX = 100;
/** Longest wait for the answer to a command, in milliseconds. Chosen. */
const COMMAND_MS_MAX = 2_000;

/**
 * One decision: counts, and returns the count and the time that is left. The count past the limit begins the time of
 * refusal.
 * KEYS: the count. ARGV: limit, window in ms, refusal in ms, how many hits, how long ago the first of them was in ms
 */
const COUNT = `
local hits = redis.call('INCRBY', KEYS[1], ARGV[4])
local before = hits - ARGV[4]
local limit, window, block = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if before == 0 then redis.call('PEXPIRE', KEYS[1], math.max(1, window - ARGV[5])) end
if before <= limit and hits > limit and block > 0 then redis.call('PEXPIRE', KEYS[1], block) end
return { hits, redis.call('PTTL', KEYS[1]) }
`;

/** The used part of the Redis client. */
export interface ScriptRunner extends FloodScripts {
  eval(script: string, keyCount: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  disconnect(): void;
}

/**
 * Counts in Redis, for all replicas together. While Redis is slow or gone it counts in this process instead, returns to
 * Redis by itself, and adds its local counts there.
 */
export class RedisThrottlerStorage extends FloodStorage implements OnApplicationShutdown {
  private readonly calls = new UnsentCounts<UnsentCalls>({
    join: joinCalls,
    send: (_, calls) => this.sendCalls(calls),
  });
  private readonly wastes = new UnsentCounts<UnsentHits<CountedWaste>>({
    join: joinHits,
    send: (_, hits) => this.sendHits(hits, ({ caller, rate }, ...count) => this.sendWaste(caller, rate, ...count)),
  });
  private readonly failures = new UnsentCounts<UnsentHits<CountedFailure>>({
    join: joinHits,
    send: (_, hits) => this.sendHits(hits, (counted, ...count) => this.sendFailures(counted, ...count)),
  });

  constructor(
    private readonly redis: ScriptRunner,
    private readonly local: LocalThrottlerStorage,
    private readonly clock: Clock,
    private readonly outage = new RedisOutage(clock),
  ) {
    super();
    outage.onPauseEnd(() => void this.sendApart());
  }

  override async countRequest(caller: Caller, rates: FloodRates): Promise<FloodRefusal | undefined> {
    if (this.outage.isPaused) return this.countUnsent(caller, rates);
    // Sent on the same connection as the count, and before it.
    if (!this.calls.isEmpty) void this.calls.send(groupOf(caller));
    if (!this.wastes.isEmpty) void this.wastes.send(caller.keyHash);
    const answer = this.sendRequests(caller, rates, 1, 0);
    try {
      const { refusal, counts } = await this.outage.answerOf(answer);
      this.learn(caller, counts);
      return refusal;
    } catch {
      const refusal = this.countUnsent(caller, rates);
      answer.then(
        ({ refusal: late, counts }) => {
          this.outage.answeredLate();
          if (late?.limit !== 'wasted') this.addCalls(caller, rates, -1);
          this.learn(caller, counts);
        },
        () => undefined,
      );
      return refusal;
    }
  }

  override countWaste(caller: Caller, rate: Rate, times = 1): void {
    this.local.countWaste(caller, rate, times);
    const { windowMs } = rate;
    this.wastes.add(caller.keyHash, { counted: { caller, rate }, windowMs, beganAt: this.clock.now(), times });
    if (!this.outage.isPaused) void this.wastes.send(caller.keyHash).then((isDone) => isDone || this.outage.failed());
  }

  override hasContention(caller: Caller): boolean {
    return this.local.hasContention(caller);
  }

  override async increment(...counted: CountedFailure): Promise<ThrottlerRecord> {
    if (this.outage.isPaused) return this.incrementApart(counted);
    if (!this.failures.isEmpty) void this.failures.send(nameOf(counted));
    const answer = this.sendFailures(counted, 1, 0);
    try {
      const failures = await this.outage.answerOf(answer);
      this.learnFailures(counted, failures);
      return failures.record;
    } catch {
      const record = this.incrementApart(counted);
      answer.then(
        (late) => {
          this.outage.answeredLate();
          this.addFailures(counted, -1);
          this.learnFailures(counted, late);
        },
        () => undefined,
      );
      return record;
    }
  }

  onApplicationShutdown(): void {
    this.outage.close();
    this.redis.disconnect();
  }

  private countUnsent(caller: Caller, rates: FloodRates): ReturnType<LocalThrottlerStorage['countRequest']> {
    const refusal = this.local.countRequest(caller, rates);
    if (refusal?.limit !== 'wasted') this.addCalls(caller, rates, 1);
    return refusal;
  }

  private incrementApart(counted: CountedFailure): Promise<ThrottlerRecord> {
    this.addFailures(counted, 1);
    return this.local.increment(...counted);
  }

  private addCalls(caller: Caller, rates: FloodRates, times: number): void {
    const keys = new Map([[caller.keyHash, { caller, times }]]);
    this.calls.add(groupOf(caller), { rates, beganAt: this.clock.now(), keys });
  }

  private addFailures(counted: CountedFailure, times: number): void {
    const [, windowMs] = counted;
    this.failures.add(nameOf(counted), { counted, windowMs, beganAt: this.clock.now(), times });
  }

  /** Adopts the counts of Redis, plus those it has not confirmed. */
  private learn(caller: Caller, counts: SharedCounts): void {
    const { own, all } = callsOf(this.calls.of(groupOf(caller)), caller.keyHash);
    const wasted = timesOf(this.wastes.of(caller.keyHash));
    this.local.learn(caller, {
      ...counts,
      group: withHits(counts.group, all),
      key: withHits(counts.key, own),
      wasted: withHits(counts.wasted, wasted),
    });
  }

  private learnFailures(counted: CountedFailure, { record, leftMs }: FailureCount): void {
    const [key, , , , throttlerName] = counted;
    const hits = record.totalHits + timesOf(this.failures.of(nameOf(counted)));
    this.local.learnWindow(key, throttlerName, { hits, leftMs });
  }

  private async sendApart(): Promise<void> {
    const areDone = await Promise.all([this.calls.sendAll(), this.wastes.sendAll(), this.failures.sendAll()]);
    if (areDone.includes(false)) this.outage.failed();
  }

  private async sendCalls({ rates, beganAt, keys }: UnsentCalls): Promise<void> {
    const ageMs = Math.max(0, this.clock.now() - beganAt);
    if (ageMs >= rates.account.windowMs) return;
    const counted = [...keys.values()].filter(({ times }) => times > 0);
    await Promise.all(counted.map(({ caller, times }) => this.sendRequests(caller, rates, times, ageMs)));
  }

  private async sendHits<Counted>(
    { counted, windowMs, beganAt, times }: UnsentHits<Counted>,
    send: (counted: Counted, times: number, ageMs: number) => Promise<unknown>,
  ): Promise<void> {
    const ageMs = Math.max(0, this.clock.now() - beganAt);
    if (times > 0 && ageMs < windowMs) await send(counted, times, ageMs);
  }

  private sendRequests(caller: Caller, rates: FloodRates, times: number, ageMs: number): Promise<RequestCount> {
    const { limit, windowMs } = rates.account;
    const [groupKey, keyKey] = keysOf(caller);
    return this.redis
      .countRequest(
        groupKey,
        keyKey,
        caller.keyHash,
        limit,
        windowMs,
        shareOf(limit),
        rates.wasted.limit,
        CONTENTION_MS,
        this.clock.aheadMs,
        times,
        ageMs,
      )
      .then(readRequestCount);
  }

  private sendWaste(caller: Caller, { limit, windowMs }: Rate, times: number, ageMs: number): Promise<unknown> {
    return this.redis.countWaste(keysOf(caller)[1], limit, windowMs, this.clock.aheadMs, times, ageMs);
  }

  private async sendFailures(counted: CountedFailure, times: number, ageMs: number): Promise<FailureCount> {
    const [key, ttlMs, limit, blockMs, throttlerName] = counted;
    const name = `fairlead:${throttlerName}:${key}`;
    return readFailures(await this.redis.eval(COUNT, 1, name, limit, ttlMs, blockMs, times, ageMs), limit);
  }
}

const nameOf = ([key, , , , throttlerName]: CountedFailure): string => `${throttlerName} ${key}`;

const withHits = (count: WindowCount, unsent: number): WindowCount =>
  unsent === 0 ? count : { ...count, hits: count.hits + unsent };

/** The braces keep both keys in one hash slot of a cluster. */
function keysOf(caller: Caller): [groupKey: string, keyKey: string] {
  const group = `fairlead:flood:{${groupOf(caller)}}`;
  return [group, `${group}:${caller.keyHash}`];
}

interface RequestCount {
  readonly refusal: FloodRefusal | undefined;
  readonly counts: SharedCounts;
}

function readRequestCount(answer: unknown): RequestCount {
  if (!Array.isArray(answer) || answer.length !== 8 || !answer.every(Number.isSafeInteger)) {
    throw new TypeError('The counting script gave no figures.');
  }
  const [index, othersMs, groupHits, groupMs, keyHits, keyMs, wastedHits, wastedMs] = answer as Figures;
  const counts = {
    othersMs: othersMs < 0 ? Infinity : othersMs,
    group: { hits: groupHits, leftMs: groupMs },
    key: { hits: keyHits, leftMs: keyMs },
    wasted: { hits: wastedHits, leftMs: wastedMs },
  };
  const limit = FLOOD_LIMITS[index - 1];
  const leftMs = { account: groupMs, share: keyMs, wasted: wastedMs };
  return { refusal: limit && { limit, retryAfterMs: Math.max(1, leftMs[limit]) }, counts };
}

type Figures = [number, number, number, number, number, number, number, number];

interface FailureCount {
  readonly record: ThrottlerRecord;
  readonly leftMs: number;
}

function readFailures(counted: unknown, limit: number): FailureCount {
  const [hits, remainingMs] = Array.isArray(counted) ? counted.map(Number) : [];
  if (hits === undefined || remainingMs === undefined) throw new TypeError('The counting script gave no pair.');
  const leftMs = Math.max(0, remainingMs);
  const seconds = Math.ceil(leftMs / 1000);
  const isBlocked = hits > limit;
  const record = { totalHits: hits, timeToExpire: seconds, isBlocked, timeToBlockExpire: isBlocked ? seconds : 0 };
  return { record, leftMs };
}

export type LimitsConnection = Redis & LimitScripts & FloodScripts;

/**
 * A connection that fails fast: a limit is never worth waiting for, and `RedisOutage` bounds the wait. It reconnects by
 * itself, and never sends a command twice.
 */
export function connectForLimits(url: Secret): LimitsConnection {
  const redis = new Redis(url.reveal(), {
    scripts: LIMIT_SCRIPTS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_MS_MAX,
    disconnectTimeout: CLOSE_MS_MAX,
    // Decisions have far shorter bounds. Background commands end as well, and are counted once more.
    commandTimeout: COMMAND_MS_MAX,
  });
  // Each failing command is reported where it fails; without a listener the client prints every attempt to connect.
  redis.on('error', () => undefined);
  // The client defines the commands from the scripts.
  return redis as LimitsConnection;
}

/**
 * Drops a connection that looks open but does not answer, and makes another. One that is being made is left alone.
 */
export function reconnect(redis: Redis): void {
  if (redis.status === 'ready') redis.disconnect(true);
}
