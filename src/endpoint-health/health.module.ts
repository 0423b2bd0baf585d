import { Module } from '@nestjs/common';
import { RedisModule } from '../shared/redis.module.js';
import { HealthRegistry } from './health-registry.js';

/** How the endpoints have answered, in this and the other replicas. */
@Module({
  imports: [RedisModule],
  providers: [HealthRegistry],
  exports: [HealthRegistry],
})
export class HealthModule {}
