import { Module } from '@nestjs/common';
import { Environment } from '../environment.js';
import { RedisLink } from './redis-link.js';
import { RedisValues } from './redis-values.js';
import { NoReplicas, ReplicaLink } from './replicated-map-link.js';
import { NoSharedValues, SharedValues } from './shared-values.js';

/** State that replicas share through Redis: maps and values. Without Redis no connection is opened. */
@Module({
  providers: [
    {
      provide: ReplicaLink,
      inject: [Environment],
      useFactory: ({ redisUrl }: Environment): ReplicaLink => (redisUrl ? new RedisLink(redisUrl) : new NoReplicas()),
    },
    {
      provide: SharedValues,
      inject: [Environment],
      useFactory: ({ redisUrl }: Environment): SharedValues =>
        redisUrl ? new RedisValues(redisUrl) : new NoSharedValues(),
    },
  ],
  exports: [ReplicaLink, SharedValues],
})
export class RedisModule {}
