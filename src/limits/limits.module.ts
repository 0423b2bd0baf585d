import { Module } from '@nestjs/common';
import { ThrottlerStorage } from '@nestjs/throttler';
import { Clock } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { FailedAuthentications } from './failed-authentications.js';
import { LocalThrottlerStorage } from './local-throttler.storage.js';
import { connectForLimits, RedisThrottlerStorage } from './redis-throttler.storage.js';

/** What keeps callers within bounds. Counts are shared by all replicas when there is a Redis, else they are this process's. */
@Module({
  providers: [
    {
      provide: ThrottlerStorage,
      inject: [Environment, Clock],
      useFactory: ({ redisUrl }: Environment, clock: Clock): ThrottlerStorage =>
        redisUrl
          ? new RedisThrottlerStorage(connectForLimits(redisUrl), new LocalThrottlerStorage(), clock)
          : new LocalThrottlerStorage(),
    },
    FailedAuthentications,
  ],
  exports: [FailedAuthentications],
})
export class LimitsModule {}
