import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Caller } from '../../core/caller.js';
import { newUuid, type GenerationId } from '../../core/ids.js';
import type { Clock } from '../../core/time.js';
import type { PinoLogger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import { APPEARANCES } from './error-views.js';

/** What an inference adds to the log line of its request. Filled in as it goes. */
export interface GenerationFacts {
  readonly id: GenerationId;
  readonly streamed: boolean;
  model?: string;
  provider?: string;
  /** How it ended: `completed`, `caller-gone`, or the kind of the error. */
  outcome?: string;
}

const FACTS = Symbol('generation facts');

interface WithFacts {
  [FACTS]?: GenerationFacts;
}

/** Puts an inference on the log line of the request it answers. */
export function noteGeneration(response: ServerResponse & WithFacts, facts: GenerationFacts): void {
  response[FACTS] = facts;
}

/**
 * Gives every request an id (`request-id` on the reply), and when it is over one log line and its metrics. Stands in front of the
 * application, so that what its router refuses is counted as well.
 */
export function requestLog(logger: PinoLogger, metrics: Metrics, clock: Clock): RequestListener {
  return (request: IncomingMessage & Routed, response: ServerResponse & WithFacts) => {
    const began = performance.now();
    const requestId = newUuid(clock.now());
    response.setHeader('request-id', requestId);
    response.once('close', () => {
      const durationMs = performance.now() - began;
      const generation = response[FACTS];
      const { route, caller, method = '' } = request;
      // Before any byte was sent the response's own status is what it might have become.
      const status = response.headersSent ? response.statusCode : APPEARANCES['client-closed'].status;
      metrics.request(route?.path, method, status, durationMs / 1000, generation?.streamed ?? false);
      logger.request({
        requestId,
        method,
        route: route?.path ?? 'none',
        status,
        durationMs,
        generationId: generation?.id,
        model: generation?.model,
        provider: generation?.provider,
        streamed: generation?.streamed,
        outcome: generation?.outcome ?? (response.writableFinished ? 'completed' : 'caller-gone'),
        keyHash: caller?.keyHash,
      });
    });
  };
}

/** What the router and the guard leave on a request. */
interface Routed {
  readonly route?: { readonly path: string };
  readonly caller?: Caller;
}
