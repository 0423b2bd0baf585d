import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { reachOf, type Caller } from '../../core/caller.js';
import { Answers } from '../../shared/http/answers.decorator.js';
import { FromBody } from '../../shared/http/parameter-types.js';
import { ClosedQuery } from '../../shared/http/query.guard.js';
import { single } from '../../shared/http/reply-schemas.js';
import { Accepts, FromCaller } from '../../shared/http/route.decorators.js';
import type { Static } from '../../shared/http/schema.js';
import { ActivityRepository } from './activity.repository.js';
import { AnalyticsQueryDto } from './analytics-query.dto.js';
import { namesOf, readAnalytics } from './analytics-request.js';
import { ANALYTICS_META, analyticsMetaView, analyticsView, viewAnalytics } from './analytics-view.js';
import { FilterNames } from '../check-filter-names.js';
import { FiguresRepository } from '../figures/figures.repository.js';

/** Figures of generations: any metrics, by up to two dimensions. */
@Controller('analytics')
@Accepts('management')
@ClosedQuery()
export class AnalyticsController {
  constructor(
    private readonly activity: ActivityRepository,
    private readonly names: FilterNames,
    private readonly figures: FiguresRepository,
  ) {}

  @Get('meta')
  @Answers(single(analyticsMetaView), {
    summary: 'List what `POST /analytics/query` knows',
    description: 'Its metrics, dimensions, operators and granularities.',
  })
  meta(): { data: Static<typeof analyticsMetaView> } {
    return { data: ANALYTICS_META };
  }

  @Post('query')
  @HttpCode(200)
  @Answers(single(analyticsView), {
    summary: 'Sum up generations',
    description:
      'Metrics by up to two dimensions and a span of time, exact up to this moment. Keys and workspaces are returned by their names.',
    errors: ['request-timed-out'],
    examples: {
      'the costliest models': {
        metrics: ['total_usage', 'request_count', 'p90_latency'],
        dimensions: ['model'],
        order_by: { field: 'total_usage', direction: 'desc' },
        limit: 10,
      },
      'a key by days': {
        metrics: ['tokens_total', 'cache_hit_rate'],
        dimensions: ['api_key_id'],
        filters: [{ field: 'error_type', operator: 'eq', value: 'rate_limit_exceeded', include_unset: true }],
        granularity: 'day',
      },
    },
  })
  async query(
    @FromCaller() caller: Caller,
    @FromBody() body: AnalyticsQueryDto,
  ): Promise<{ data: Static<typeof analyticsView> }> {
    const request = readAnalytics(body, reachOf(caller), (await this.activity.now()).getTime());
    await this.names.assertKnown(caller.accountId, namesOf(request.query.filters));
    const startedAt = performance.now();
    const found = await this.figures.read(request.query);
    return { data: viewAnalytics(request, found, performance.now() - startedAt) };
  }
}
