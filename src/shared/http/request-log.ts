import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Caller } from '../../core/caller.js';
import type { ErrorKind } from '../../core/errors.js';
import { ENDINGS, type Ending } from '../../core/generation/ending.js';
import type { Generation, GenerationObserver } from '../../core/generation/generation.js';
import { newUuid } from '../../core/ids.js';
import type { Clock } from '../../core/time.js';
import type { PinoLogger } from '../logger.js';
import type { Metrics } from '../metrics.js';

/** What a generation tells the log line of the request that it answers, as far as it has got. */
class GenerationLog implements GenerationObserver {
  readonly id: string;
  readonly streamed: boolean;
  model: string | undefined;
  provider: string | undefined;
  /** What became of the request: a reply that was completed and could not be delivered is none. */
  ending: Ending | undefined;

  constructor({ id, request }: Generation) {
    this.id = id;
    this.streamed = request.stream;
  }

  answered({ answer }: Generation): void {
    this.model = answer?.leg.model.id;
    this.provider = answer?.leg.endpoint.provider.slug;
  }

  ended({ ending }: Generation): undefined {
    this.ending = ending;
  }

  deliveryFailed(_: Generation, ending: Ending): void {
    this.ending = ending;
  }
}

const GENERATION_LOG = Symbol('generation log');
const REFUSAL = Symbol('refusal');

interface WithGenerationLog {
  [GENERATION_LOG]?: GenerationLog;
  /** The kind of error that it is answered with. */
  [REFUSAL]?: ErrorKind;
}

/** Has the log line of a request observe the generation that answers it, which has just begun. */
export function logGeneration(response: ServerResponse & WithGenerationLog, generation: Generation): void {
  const log = new GenerationLog(generation);
  response[GENERATION_LOG] = log;
  generation.observe(log);
}

/** Has the log line of a request say which error it was answered with, where no generation says more. */
export function logRefusal(response: ServerResponse & WithGenerationLog, kind: ErrorKind): void {
  response[REFUSAL] = kind;
}

/**
 * Gives every request an id (`request-id` on the reply), and when it is over one log line and its metrics. Stands in
 * front of the application, so that what its router refuses is counted as well.
 */
export function requestLog(logger: PinoLogger, metrics: Metrics, clock: Clock): RequestListener {
  return (request: IncomingMessage & Routed, response: ServerResponse & WithGenerationLog) => {
    const began = performance.now();
    const requestId = newUuid(clock.now());
    response.setHeader('request-id', requestId);
    response.once('close', () => {
      const durationMs = performance.now() - began;
      const generation = response[GENERATION_LOG];
      const ending = generation?.ending && ENDINGS[generation.ending];
      const { route, caller, method = '' } = request;
      // Before any byte was sent the response's own status is what it might have become.
      const status = response.headersSent ? response.statusCode : ENDINGS['caller-gone'].status;
      metrics.request(route?.path, method, status, durationMs / 1000, generation?.streamed ?? false);
      const fields = {
        requestId,
        method,
        route: route?.path ?? 'none',
        status,
        durationMs,
        generationId: generation?.id,
        model: generation?.model,
        provider: generation?.provider,
        streamed: generation?.streamed,
        outcome: ending?.name ?? (response.writableFinished ? (response[REFUSAL] ?? 'completed') : 'caller-gone'),
        keyHash: caller?.keyHash,
      };
      logger.request(fields, ending?.logLevel);
    });
  };
}

/** What the router and the guard leave on a request. */
interface Routed {
  readonly route?: { readonly path: string };
  readonly caller?: Caller;
}
