import { Module } from '@nestjs/common';
import { ThrottlerModule, type ThrottlerModuleOptions } from '@nestjs/throttler';
import { Clock } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { FailedAuthentications } from './failed-authentications.js';
import { FloodGuard, floodOptions } from './flood.guard.js';
import type { FloodStorage } from './flood-storage.js';
import { FreeVariantsGate } from './free-variants-gate.js';
import { KeyGate } from './key-gate.js';
import { OccupiedSlots } from './occupied-slots.js';
import { LimitCounts } from './limit-counts.js';
import { KeylessRequests } from './keyless-requests.js';
import { LIMITS_REDIS, LimitsRedisModule, type LimitsRedis } from './limits-redis.module.js';
import { LocalLimitCounts } from './local-limit-counts.js';
import { LocalThrottlerStorage } from './local-throttler.storage.js';
import { ModelGate } from './model-gate.js';
import { RedisLimitCounts } from './redis-limit-counts.js';
import { RedisThrottlerStorage } from './redis-throttler.storage.js';
import { WastedCalls } from './wasted-calls.js';

/** Milliseconds for which a slot may be in use after its call: calls are settled after their time-out. */
const SLOT_GRACE_MS = 60_000;

function storageOf(shared: LimitsRedis, clock: Clock): FloodStorage {
  const local = new LocalThrottlerStorage(clock);
  return shared ? new RedisThrottlerStorage(shared.redis, local, clock, shared.outage) : local;
}

/**
 * Rate limits and abuse protection. Counts are shared by all replicas with a Redis, and local to the process without.
 */
@Module({
  imports: [
    LimitsRedisModule,
    ThrottlerModule.forRootAsync({
      imports: [LimitsRedisModule],
      inject: [LIMITS_REDIS, Environment, Clock],
      useFactory: (shared: LimitsRedis, { flood }: Environment, clock: Clock): ThrottlerModuleOptions =>
        floodOptions(storageOf(shared, clock), flood),
    }),
  ],
  providers: [
    {
      provide: LimitCounts,
      inject: [LIMITS_REDIS, Environment, Clock],
      useFactory: (shared: LimitsRedis, { timeouts }: Environment, clock: Clock): LimitCounts => {
        const occupied = new OccupiedSlots(clock, timeouts.totalMs + SLOT_GRACE_MS);
        const local = new LocalLimitCounts(clock, occupied);
        return shared ? new RedisLimitCounts(shared.redis, shared.outage, local, occupied, clock) : local;
      },
    },
    FailedAuthentications,
    FloodGuard,
    FreeVariantsGate,
    KeyGate,
    KeylessRequests,
    ModelGate,
    WastedCalls,
  ],
  exports: [FailedAuthentications, FloodGuard, FreeVariantsGate, KeyGate, KeylessRequests, ModelGate, WastedCalls],
})
export class RateLimitsModule {}
