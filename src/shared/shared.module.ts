import { Module, type DynamicModule } from '@nestjs/common';
import { Clock } from '../core/time.js';
import { BytesInFlight } from './bytes-in-flight.js';
import { ClusterMetrics } from './cluster-metrics.js';
import { Environment } from './environment.js';
import { HealthController } from './health.controller.js';
import { CheckedAddresses } from './http/checked-addresses.js';
import { ForwardProxies } from './http/forward-proxies.js';
import { SafeFetch } from './http/safe-fetch.js';
import { SafePost } from './http/safe-post.js';
import { PinoLogger } from './logger.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';
import { Tracing } from './tracing.js';
import { findPrimaryChannel } from './worker-channel.js';

/** What the process provides: created before the application, available to every module. */
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
      // With a port of their own they are not among the routes.
      controllers: environment.healthPort === undefined ? [HealthController, MetricsController] : [],
      providers: [
        { provide: Environment, useValue: environment },
        { provide: Clock, useValue: clock },
        { provide: PinoLogger, useValue: logger },
        { provide: Tracing, useValue: tracing },
        BytesInFlight,
        CheckedAddresses,
        ForwardProxies,
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
        CheckedAddresses,
        Environment,
        Clock,
        ClusterMetrics,
        ForwardProxies,
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
