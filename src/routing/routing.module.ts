import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ByokModule } from '../byok/byok.module.js';
import { HealthModule } from '../health/health.module.js';
import { ProvidersModule } from '../providers/providers.module.js';
import { RedisModule } from '../shared/redis.module.js';
import { AttemptRunner } from './attempt-runner.js';
import { DecisionLog } from './decision-log.js';
import { GenerationFactory } from './generation-factory.js';
import { PlanRunner } from './plan-runner.js';
import { RoutePlanner } from './route-planner.js';
import { SessionPins } from './session-pins.js';
import { UnseenCalls } from './unseen-calls.js';

@Module({
  imports: [AccountsModule, ByokModule, HealthModule, ProvidersModule, RedisModule],
  providers: [AttemptRunner, DecisionLog, GenerationFactory, PlanRunner, RoutePlanner, SessionPins, UnseenCalls],
  exports: [AttemptRunner, GenerationFactory, PlanRunner, RoutePlanner, UnseenCalls],
})
export class RoutingModule {}
