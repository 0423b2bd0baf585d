import { Module } from '@nestjs/common';
import { ThrottlerStorage } from '@nestjs/throttler';
import type { Redis } from 'ioredis';
import { Clock } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { FailedAuthentications } from './failed-authentications.js';
import { FloodGuard } from './flood.guard.js';
import { FreeGate } from './free-gate.js';
import { HeldSlots } from './held-slots.js';
import { LimitCounts } from './limit-counts.js';
import type { LimitScripts } from './limit-scripts.js';
import { LocalLimitCounts } from './local-limit-counts.js';
import { LocalThrottlerStorage } from './local-throttler.storage.js';
import { ModelGate } from './model-gate.js';
import { RedisLimitCounts } from './redis-limit-counts.js';
import { RedisOutage } from './redis-outage.js';
import { connectForLimits, reconnect, RedisThrottlerStorage } from './redis-throttler.storage.js';

/** The one connection of a process's limits, and how Redis answers over it; null without a Redis. The storage of hits closes it. */
const SHARED_REDIS = Symbol('the Redis of limits');
type SharedRedis = { readonly redis: Redis & LimitScripts; readonly outage: RedisOutage } | null;

/** How much longer than its call a slot may be held, in milliseconds: calls are settled after their time-out. */
const SLOT_GRACE_MS = 60_000;

/** What keeps callers within bounds. Counts are shared by all replicas when there is a Redis, else they are this process's. */
@Module({
  providers: [
    {
      provide: SHARED_REDIS,
      inject: [Environment, Clock],
      useFactory: ({ redisUrl }: Environment, clock: Clock): SharedRedis => {
        if (!redisUrl) return null;
        const redis = connectForLimits(redisUrl);
        const outage = new RedisOutage(clock, () => reconnect(redis));
        return { redis, outage };
      },
    },
    {
      provide: ThrottlerStorage,
      inject: [SHARED_REDIS, Clock],
      useFactory: (shared: SharedRedis, clock: Clock): ThrottlerStorage => {
        const local = new LocalThrottlerStorage(clock);
        return shared ? new RedisThrottlerStorage(shared.redis, local, clock, shared.outage) : local;
      },
    },
    {
      provide: LimitCounts,
      inject: [SHARED_REDIS, Environment, Clock],
      useFactory: (shared: SharedRedis, { timeouts }: Environment, clock: Clock): LimitCounts => {
        const held = new HeldSlots(clock, timeouts.totalMs + SLOT_GRACE_MS);
        const local = new LocalLimitCounts(clock, held);
        return shared ? new RedisLimitCounts(shared.redis, shared.outage, local, held, clock) : local;
      },
    },
    FailedAuthentications,
    FloodGuard,
    FreeGate,
    ModelGate,
  ],
  exports: [FailedAuthentications, FloodGuard, FreeGate, ModelGate],
})
export class LimitsModule {}
