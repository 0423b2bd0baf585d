import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import type { Secret } from '../core/secret.js';
import type { Clock } from '../core/time.js';

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Longest that a request waits for Redis, in milliseconds (DESIGN 8). */
const COMMAND_TIMEOUT_MS = 100;
/** How long counting stays local after Redis failed, so that not every request waits for it. */
const PAUSE_MS = 1_000;

/** One decision: counts, and says how often and for how long yet. The count past the limit begins the time of refusal. */
const COUNT = `
local hits = redis.call('INCR', KEYS[1])
local limit, window, block = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if hits == 1 then redis.call('PEXPIRE', KEYS[1], window) end
if hits == limit + 1 and block > 0 then redis.call('PEXPIRE', KEYS[1], block) end
return { hits, redis.call('PTTL', KEYS[1]) }
`;

/** What is used of Redis. */
export interface ScriptRunner {
  eval(script: string, keyCount: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  disconnect(): void;
}

/**
 * Counts in Redis, for all replicas together. While Redis is slow or gone it counts in this process instead, and returns to
 * Redis by itself.
 */
export class RedisThrottlerStorage implements ThrottlerStorage, OnApplicationShutdown {
  private readonly logger = new Logger('limits');
  private pausedUntil = -Infinity;
  private away = false;

  constructor(
    private readonly redis: ScriptRunner,
    private readonly local: ThrottlerStorage & OnApplicationShutdown,
    private readonly clock: Clock,
  ) {}

  async increment(
    key: string,
    ttlMs: number,
    limit: number,
    blockMs: number,
    throttlerName: string,
  ): Promise<ThrottlerRecord> {
    if (this.clock.now() >= this.pausedUntil) {
      try {
        const counted = await this.redis.eval(COUNT, 1, `fairlead:${throttlerName}:${key}`, limit, ttlMs, blockMs);
        const record = readRecord(counted, limit);
        this.away = false;
        return record;
      } catch {
        this.pause();
      }
    }
    return this.local.increment(key, ttlMs, limit, blockMs, throttlerName);
  }

  private pause(): void {
    this.pausedUntil = this.clock.now() + PAUSE_MS;
    // Once per outage, and without the error: it may hold the address of the server.
    if (!this.away) this.logger.warn('Redis does not answer; failed authentications are counted in this process.');
    this.away = true;
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
    this.local.onApplicationShutdown();
  }
}

function readRecord(counted: unknown, limit: number): ThrottlerRecord {
  const [hits, remainingMs] = Array.isArray(counted) ? counted.map(Number) : [];
  if (hits === undefined || remainingMs === undefined) throw new TypeError('The counting script gave no pair.');
  const seconds = Math.max(0, Math.ceil(remainingMs / 1000));
  const isBlocked = hits > limit;
  return { totalHits: hits, timeToExpire: seconds, isBlocked, timeToBlockExpire: isBlocked ? seconds : 0 };
}

/** A connection that fails fast: a limit is never worth waiting for. It reconnects by itself. */
export function connectForLimits(url: Secret): Redis {
  const redis = new Redis(url.reveal(), {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_TIMEOUT_MS,
  });
  // Each failing command is told of where it fails; without a listener the client prints every attempt to connect.
  redis.on('error', () => undefined);
  return redis;
}
