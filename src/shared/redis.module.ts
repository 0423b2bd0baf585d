import { Module } from '@nestjs/common';
import { Environment } from './environment.js';
import { RedisLink } from './redis-link.js';
import { NoReplicas, ReplicaLink } from './replicated-map-link.js';

/**
 * What replicas share their maps through. Without a Redis nothing is opened, and each process
 * knows what it sees itself.
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
