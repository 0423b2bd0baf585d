import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ByokModule } from '../byok/byok.module.js';
import { HealthModule } from '../endpoint-health/health.module.js';
import { ProvidersModule } from '../providers/providers.module.js';
import { RedisModule } from '../shared/redis/redis.module.js';
import { AttemptRunner } from './attempt-runner.js';
import { CallTelemetry } from './call-telemetry.js';
import { DecisionLog } from './decision-log.js';
import { EndpointBounds } from './endpoint-bounds.js';
import { GenerationFactory } from './generation-factory.js';
import { GenerationMedia } from './generation-media.js';
import { PlanRunner } from './plan-runner.js';
import { RefusedCredentials } from './log-refused-credentials.js';
import { RoutePlanner } from './route-planner.js';
import { SessionPins } from './session-pins.js';
import { UnseenCalls } from './unseen-calls.js';

@Module({
  imports: [AccountsModule, ByokModule, HealthModule, ProvidersModule, RedisModule],
  providers: [
    AttemptRunner,
    CallTelemetry,
    DecisionLog,
    EndpointBounds,
    GenerationFactory,
    GenerationMedia,
    PlanRunner,
    RefusedCredentials,
    RoutePlanner,
    SessionPins,
    UnseenCalls,
  ],
  exports: [AttemptRunner, EndpointBounds, GenerationFactory, PlanRunner, RoutePlanner, UnseenCalls],
})
export class RoutingModule {}
