import { Controller, Get, Header } from '@nestjs/common';
import { ClusterMetrics } from './cluster-metrics.js';
import { Answers } from '../http/answers.decorator.js';
import { Open } from '../http/route.decorators.js';
import { text } from '../http/schema.js';
import { METRICS_TYPE } from './metrics.js';

/** `GET /metrics` for Prometheus, outside the base path and without a key. */
@Open()
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: ClusterMetrics) {}

  @Get()
  @Header('content-type', METRICS_TYPE)
  @Header('cache-control', 'no-store')
  @Answers(text(), { summary: 'Show metrics for Prometheus', contentType: 'text/plain' })
  show(): Promise<string> {
    return this.metrics.text();
  }
}
