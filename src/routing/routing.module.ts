import { Module } from '@nestjs/common';
import { ProvidersModule } from '../providers/providers.module.js';
import { AttemptRunner } from './attempt-runner.js';
import { MediaFetcher } from './media-fetcher.js';
import { PlanRunner } from './plan-runner.js';
import { RoutePlanner } from './route-planner.js';

@Module({
  imports: [ProvidersModule],
  providers: [AttemptRunner, MediaFetcher, PlanRunner, RoutePlanner],
  exports: [PlanRunner, RoutePlanner],
})
export class RoutingModule {}
