import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Caller } from '../../core/caller.js';
import { ENDINGS } from '../../core/generation/ending.js';
import type { Generation } from '../../core/generation/generation.js';
import { newUuid } from '../../core/ids.js';
import type { Clock } from '../../core/time.js';
import type { PinoLogger } from '../logger.js';
import type { Metrics } from '../metrics.js';

const GENERATION = Symbol('generation');

interface WithGeneration {
  [GENERATION]?: Generation;
}

/** Puts a generation on the log line of the request that it answers, and on what is told of it should it fail. */
export function noteGeneration(response: ServerResponse & WithGeneration, generation: Generation): void {
  response[GENERATION] = generation;
}

export const generationOf = (response: ServerResponse & WithGeneration): Generation | undefined => response[GENERATION];

/**
 * Gives every request an id (`request-id` on the reply), and when it is over one log line and its metrics. Stands in
 * front of the application, so that what its router refuses is counted as well.
 */
export function requestLog(logger: PinoLogger, metrics: Metrics, clock: Clock): RequestListener {
  return (request: IncomingMessage & Routed, response: ServerResponse & WithGeneration) => {
    const began = performance.now();
    const requestId = newUuid(clock.now());
    response.setHeader('request-id', requestId);
    response.once('close', () => {
      const durationMs = performance.now() - began;
      const generation = response[GENERATION];
      const leg = generation?.answer?.leg;
      const { route, caller, method = '' } = request;
      // Before any byte was sent the response's own status is what it might have become.
      const status = response.headersSent ? response.statusCode : ENDINGS['caller-gone'].status;
      metrics.request(route?.path, method, status, durationMs / 1000, generation?.request.stream ?? false);
      const fields = {
        requestId,
        method,
        route: route?.path ?? 'none',
        status,
        durationMs,
        generationId: generation?.id,
        model: leg?.model.id,
        provider: leg?.endpoint.provider.slug,
        streamed: generation?.request.stream,
        outcome: generation?.outcome ?? (response.writableFinished ? 'completed' : 'caller-gone'),
        keyHash: caller?.keyHash,
      };
      logger.request(fields, generation?.ending && ENDINGS[generation.ending].logLevel);
    });
  };
}

/** What the router and the guard leave on a request. */
interface Routed {
  readonly route?: { readonly path: string };
  readonly caller?: Caller;
}
