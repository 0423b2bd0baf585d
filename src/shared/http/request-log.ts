import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { newUuid } from '../../core/ids.js';
import type { Clock } from '../../core/time.js';
import type { PinoLogger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import type { AuthenticatedRequest } from './route.decorators.js';

/** What an inference adds to the log line of its request. Filled in as it goes. */
export interface GenerationFacts {
  readonly id: string;
  readonly streamed: boolean;
  model?: string;
  provider?: string;
  /** How it ended: `completed`, `caller-gone`, or the kind of the error. */
  outcome?: string;
}

interface Locals {
  generation?: GenerationFacts;
}

/** Puts an inference on the log line of the request it answers. */
export function noteGeneration(response: Response, facts: GenerationFacts): void {
  (response as Response<unknown, Locals>).locals.generation = facts;
}

/** Gives every request an id (`request-id` on the reply), and when it is over one log line and its metrics. */
export function requestLog(logger: PinoLogger, metrics: Metrics, clock: Clock): RequestHandler {
  return (request: Request, response: Response<unknown, Locals>, next: NextFunction) => {
    const began = performance.now();
    const requestId = newUuid(clock.now());
    response.setHeader('request-id', requestId);
    response.once('close', () => {
      const durationMs = performance.now() - began;
      const { generation } = response.locals;
      const route = routeOf(request);
      const { caller } = request as Partial<AuthenticatedRequest>;
      metrics.request(route, request.method, response.statusCode, durationMs / 1000, generation?.streamed ?? false);
      logger.request({
        requestId,
        method: request.method,
        route: route ?? 'none',
        status: response.statusCode,
        durationMs,
        ...(generation && {
          generationId: generation.id,
          streamed: generation.streamed,
          ...(generation.model !== undefined && { model: generation.model }),
          ...(generation.provider !== undefined && { provider: generation.provider }),
        }),
        outcome: generation?.outcome ?? (response.writableFinished ? 'completed' : 'caller-gone'),
        ...(caller && { keyHash: caller.keyHash }),
      });
    });
    next();
  };
}

function routeOf(request: Request): string | undefined {
  const route = request.route as { readonly path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : undefined;
}
