import { Controller, Get, Header, HttpStatus, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Answers } from './http/answers.decorator.js';
import { logRefusal } from './http/request-log.js';
import { Open } from './http/route.decorators.js';
import { flag, map, object, oneOf, optional, text, type Static } from './http/schema.js';
import { Readiness, viewReadiness } from './readiness.js';

const health = { status: oneOf(['ok', 'unavailable']) };
const check = object({ ready: flag(), detail: optional(text()) });

/** The body for a liveness probe. */
const livenessView = object(health);
const readinessView = object({ ...health, checks: map(check) });

/** Health for orchestrators and balancers, outside the base path and without a key. Neither route calls any service. */
@Open()
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** The process runs and its event loop turns. Depends on nothing else: a restart would not repair a database. */
  @Get('live')
  @Header('cache-control', 'no-store')
  @Answers(livenessView, { summary: 'Report whether the process runs' })
  live(): Static<typeof livenessView> {
    return { status: 'ok' };
  }

  /** 200 when this process should receive requests, else 503. */
  @Get('ready')
  @Header('cache-control', 'no-store')
  @Answers(readinessView, {
    summary: 'Report whether the process should receive requests',
    alsoWith: { status: 503, meaning: 'It should not be sent any now.' },
  })
  ready(@Res({ passthrough: true }) response: Response): Static<typeof readinessView> {
    const report = this.readiness.state();
    response.status(report.ready ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE);
    if (!report.ready) logRefusal(response, 'service-unavailable');
    return viewReadiness(report);
  }
}
