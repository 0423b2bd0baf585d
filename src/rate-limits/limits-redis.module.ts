import { Module } from '@nestjs/common';
import { Clock } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { RedisOutage } from './redis-outage.js';
import { connectForLimits, reconnect, type LimitsConnection } from './redis-throttler.storage.js';

/**
 * A process's single connection for limits, and its availability; null without a Redis. The storage of hits closes it.
 */
export const LIMITS_REDIS = Symbol('the Redis of limits');
export type LimitsRedis = { readonly redis: LimitsConnection; readonly outage: RedisOutage } | null;

/** Shared by the throttler's storage and the other counts of limits. */
@Module({
  providers: [
    {
      provide: LIMITS_REDIS,
      inject: [Environment, Clock],
      useFactory: ({ redisUrl }: Environment, clock: Clock): LimitsRedis => {
        if (!redisUrl) return null;
        const redis = connectForLimits(redisUrl);
        const outage = new RedisOutage(clock, () => reconnect(redis));
        return { redis, outage };
      },
    },
  ],
  exports: [LIMITS_REDIS],
})
export class LimitsRedisModule {}
