import { Module } from '@nestjs/common';
import { RedisModule } from '../shared/redis/redis.module.js';
import { HealthRegistry } from './health-registry.js';

/** Health of endpoints, in this and the other replicas. */
@Module({
  imports: [RedisModule],
  providers: [HealthRegistry],
  exports: [HealthRegistry],
})
export class HealthModule {}
