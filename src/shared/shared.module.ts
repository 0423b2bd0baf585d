import { Module, type DynamicModule } from '@nestjs/common';
import { Clock } from '../core/time.js';
import { BytesInFlight } from './queues/bytes-in-flight.js';
import { ClusterMetrics } from './telemetry/cluster-metrics.js';
import { Environment } from './environment.js';
import { HealthController } from './health.controller.js';
import { CheckedIpAddresses } from './http/client/checked-ip-addresses.js';
import { ExportSlots } from './http/export-slots.js';
import { ListReplies } from './http/list-replies.js';
import { ForwardProxies } from './http/client/forward-proxies.js';
import { SafeFetch } from './http/client/safe-fetch.js';
import { SafePost } from './http/client/safe-post.js';
import { PinoLogger } from './telemetry/logger.js';
import { MetricsController } from './telemetry/metrics.controller.js';
import { Metrics } from './telemetry/metrics.js';
import { Readiness } from './readiness.js';
import { Tracing } from './telemetry/tracing.js';
import { findPrimaryChannel } from './worker-channel.js';

/** Objects of the process: created before the application, available to every module. */
export interface ProcessContext {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly logger: PinoLogger;
  readonly tracing: Tracing;
}

/** Settings, time, log, metrics, readiness and the guarded fetch, for every module. */
@Module({})
export class SharedModule {
  static register({ environment, clock, logger, tracing }: ProcessContext): DynamicModule {
    return {
      module: SharedModule,
      global: true,
      // With a separate port they are not among the routes.
      controllers: environment.healthPort === undefined ? [HealthController, MetricsController] : [],
      providers: [
        { provide: Environment, useValue: environment },
        { provide: Clock, useValue: clock },
        { provide: PinoLogger, useValue: logger },
        { provide: Tracing, useValue: tracing },
        BytesInFlight,
        CheckedIpAddresses,
        ExportSlots,
        ForwardProxies,
        ListReplies,
        { provide: Metrics, useValue: new Metrics({ labelsModels: environment.metricsModels === 'on' }) },
        Readiness,
        SafeFetch,
        SafePost,
        {
          provide: ClusterMetrics,
          inject: [Metrics],
          useFactory: (metrics: Metrics) => new ClusterMetrics(metrics, findPrimaryChannel()),
        },
      ],
      exports: [
        BytesInFlight,
        CheckedIpAddresses,
        Environment,
        Clock,
        ClusterMetrics,
        ExportSlots,
        ForwardProxies,
        ListReplies,
        PinoLogger,
        Metrics,
        Readiness,
        SafeFetch,
        SafePost,
        Tracing,
      ],
    };
  }
}
