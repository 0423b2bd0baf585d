import { Controller, Get, Header } from '@nestjs/common';
import { ClusterMetrics } from './cluster-metrics.js';
import { Answers } from './http/answers.decorator.js';
import { Open } from './http/route.decorators.js';
import { text } from './http/schema.js';

/** `GET /metrics` for Prometheus, outside the base path and without a key. */
@Open()
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: ClusterMetrics) {}

  @Get()
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  @Header('cache-control', 'no-store')
  @Answers(text(), { summary: 'Show metrics for Prometheus', contentType: 'text/plain' })
  show(): Promise<string> {
    return this.metrics.text();
  }
}
