import { Controller, Get, Header, HttpStatus, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Open } from './http/route.decorators.js';
import { Readiness, type ReadinessState } from './readiness.js';

/** What a probe is told. */
export interface HealthView {
  readonly status: 'ok' | 'unavailable';
  readonly checks?: Readonly<Record<string, ReadinessState>>;
}

/** Health for orchestrators and balancers, outside the base path and without a key. Neither route calls anything. */
@Open()
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** The process runs and its event loop turns. Depends on nothing else: a restart would not mend a database. */
  @Get('live')
  @Header('cache-control', 'no-store')
  live(): HealthView {
    return { status: 'ok' };
  }

  /** 200 when this process should be sent requests, else 503. */
  @Get('ready')
  @Header('cache-control', 'no-store')
  ready(@Res({ passthrough: true }) response: Response): HealthView {
    const { ready, checks } = this.readiness.state();
    response.status(ready ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE);
    return { status: ready ? 'ok' : 'unavailable', checks };
  }
}
