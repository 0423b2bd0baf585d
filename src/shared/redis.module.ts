import { Module } from '@nestjs/common';
import { Environment } from './environment.js';
import { RedisLink } from './redis-link.js';
import { NoReplicas, ReplicaLink } from './replicated-map-link.js';

/**
 * The link through which replicas share their maps. Without Redis no connection is opened, and each process works
 * alone.
 */
@Module({
  providers: [
    {
      provide: ReplicaLink,
      inject: [Environment],
      useFactory: ({ redisUrl }: Environment): ReplicaLink => (redisUrl ? new RedisLink(redisUrl) : new NoReplicas()),
    },
  ],
  exports: [ReplicaLink],
})
export class RedisModule {}
