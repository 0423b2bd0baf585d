import type { OnApplicationShutdown } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import type { Caller } from '../core/caller.js';
import type { Secret } from '../core/secret.js';
import type { Clock } from '../core/time.js';
import type { Rate } from '../shared/variables/grammars.js';
import { COMPANY_MS, groupOf, shareOf, type SharedCounts } from './call-windows.js';
import { FLOOD_LIMITS, FloodStorage, type FloodRates, type FloodRefusal } from './flood-storage.js';
import { LIMIT_SCRIPTS, type FloodScripts, type LimitScripts } from './limit-scripts.js';
import type { LocalThrottlerStorage } from './local-throttler.storage.js';
import { RedisOutage } from './redis-outage.js';

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Longest that a request waits for Redis, in milliseconds (docs/reasons/operations.md#bounded-waits). */
const COMMAND_TIMEOUT_MS = 100;
/** Longest that making a connection takes, in milliseconds. */
const CONNECT_MS_MAX = 1_500;
/** Longest wait for a socket to close, in milliseconds. */
const CLOSE_MS_MAX = 100;

/**
 * One decision: counts, and says how often and for how long yet. The count past the limit begins the time of refusal.
 */
const COUNT = `
local hits = redis.call('INCR', KEYS[1])
local limit, window, block = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if hits == 1 then redis.call('PEXPIRE', KEYS[1], window) end
if hits == limit + 1 and block > 0 then redis.call('PEXPIRE', KEYS[1], block) end
return { hits, redis.call('PTTL', KEYS[1]) }
`;

/** What is used of Redis. */
export interface ScriptRunner extends FloodScripts {
  eval(script: string, keyCount: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  disconnect(): void;
}

/**
 * Counts in Redis, for all replicas together. While Redis is slow or gone it counts in this process instead, and
 * returns to Redis by itself.
 */
export class RedisThrottlerStorage extends FloodStorage implements OnApplicationShutdown {
  constructor(
    private readonly redis: ScriptRunner,
    private readonly local: LocalThrottlerStorage,
    private readonly clock: Clock,
    private readonly outage = new RedisOutage(clock),
  ) {
    super();
  }

  override async countRequest(caller: Caller, rates: FloodRates): Promise<FloodRefusal | undefined> {
    if (!this.outage.isPaused) {
      try {
        const { limit, windowMs } = rates.account;
        const [groupKey, keyKey] = keysOf(caller);
        const { refusal, counts } = readRequestCount(
          await this.redis.countRequest(
            groupKey,
            keyKey,
            caller.keyHash,
            limit,
            windowMs,
            shareOf(limit),
            rates.wasted.limit,
            COMPANY_MS,
            this.clock.aheadMs,
          ),
        );
        this.outage.answered();
        this.local.learn(caller, counts);
        return refusal;
      } catch {
        this.outage.failed();
      }
    }
    return this.local.countRequest(caller, rates);
  }

  override countWaste(caller: Caller, rate: Rate): void {
    void this.sendWaste(caller, rate);
  }

  override hasCompany(caller: Caller): boolean {
    return this.local.hasCompany(caller);
  }

  private async sendWaste(caller: Caller, rate: Rate): Promise<void> {
    if (!this.outage.isPaused) {
      try {
        await this.redis.countWaste(keysOf(caller)[1], rate.limit, rate.windowMs, this.clock.aheadMs);
        this.outage.answered();
        return;
      } catch {
        this.outage.failed();
      }
    }
    this.local.countWaste(caller, rate);
  }

  override async increment(
    key: string,
    ttlMs: number,
    limit: number,
    blockMs: number,
    throttlerName: string,
  ): Promise<ThrottlerRecord> {
    if (!this.outage.isPaused) {
      try {
        const counted = await this.redis.eval(COUNT, 1, `fairlead:${throttlerName}:${key}`, limit, ttlMs, blockMs);
        const { record, leftMs } = readRecord(counted, limit);
        this.outage.answered();
        this.local.learnWindow(key, throttlerName, { hits: record.totalHits, leftMs });
        return record;
      } catch {
        this.outage.failed();
      }
    }
    return this.local.increment(key, ttlMs, limit, blockMs, throttlerName);
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}

/** The braces keep both in one slot of a cluster. */
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
  const [place, othersMs, groupHits, groupMs, keyHits, keyMs, wastedHits, wastedMs] = answer as Figures;
  const counts = {
    othersMs: othersMs < 0 ? Infinity : othersMs,
    group: { hits: groupHits, leftMs: groupMs },
    key: { hits: keyHits, leftMs: keyMs },
    wasted: { hits: wastedHits, leftMs: wastedMs },
  };
  const limit = FLOOD_LIMITS[place - 1];
  const leftMs = { account: groupMs, share: keyMs, wasted: wastedMs };
  return { refusal: limit && { limit, retryAfterMs: Math.max(1, leftMs[limit]) }, counts };
}

type Figures = [number, number, number, number, number, number, number, number];

function readRecord(counted: unknown, limit: number): { record: ThrottlerRecord; leftMs: number } {
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
 * A connection that fails fast: a limit is never worth waiting for. It reconnects by itself, and never sends a command
 * twice: what was counted before the connection broke must not be counted again.
 */
export function connectForLimits(url: Secret, commandTimeoutMs = COMMAND_TIMEOUT_MS): LimitsConnection {
  const redis = new Redis(url.reveal(), {
    scripts: LIMIT_SCRIPTS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_MS_MAX,
    disconnectTimeout: CLOSE_MS_MAX,
    commandTimeout: commandTimeoutMs,
  });
  // Each failing command is told of where it fails; without a listener the client prints every attempt to connect.
  redis.on('error', () => undefined);
  // The client makes the commands from the scripts.
  return redis as LimitsConnection;
}

/**
 * Gives up a connection that looks sound and does not answer, and makes another. One that is being made is left alone.
 */
export function reconnect(redis: Redis): void {
  if (redis.status === 'ready') redis.disconnect(true);
}
