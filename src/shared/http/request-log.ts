import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Caller } from '../../core/caller.js';
import { ERROR_KINDS, type ErrorKind } from '../../core/errors.js';
import { ENDINGS, type EndingName } from '../../core/generation/ending.js';
import type { Generation } from '../../core/generation/generation.js';
import { newUuid } from '../../core/ids.js';
import type { Clock } from '../../core/time.js';
import type { PinoLogger } from '../logger.js';
import type { Metrics } from '../metrics.js';

export const REQUEST_ID_HEADER = 'request-id';

const GENERATION = Symbol('generation');
const REFUSAL = Symbol('refusal');

interface Logged {
  /** Which answers it. */
  [GENERATION]?: Generation;
  /** The kind of error that it is answered with. */
  [REFUSAL]?: ErrorKind;
}

/** Has the log line of a request, when it is over, name the generation that answers it. */
export function logGeneration(response: ServerResponse & Logged, generation: Generation): void {
  response[GENERATION] = generation;
}

/** Has the log line of a request say which error it was answered with, where no generation says more. */
export function logRefusal(response: ServerResponse & Logged, kind: ErrorKind): void {
  response[REFUSAL] = kind;
}

/**
 * Gives every request an id (`request-id` on the reply), and when it is over one log line and its metrics. Stands in
 * front of the application, so that what its router refuses is counted as well.
 */
export function requestLog(logger: PinoLogger, metrics: Metrics, clock: Clock): RequestListener {
  return (request: IncomingMessage & Routed, response: ServerResponse & Logged) => {
    const began = performance.now();
    const requestId = newUuid(clock.now());
    response.setHeader(REQUEST_ID_HEADER, requestId);
    response.once('close', () => {
      const durationMs = performance.now() - began;
      const generation = response[GENERATION];
      // A reply that was completed and could not be delivered is none.
      const ending = generation?.undelivered ?? generation?.ending;
      const rule = ending && ENDINGS[ending];
      const { route, caller, method = '' } = request;
      // Before any byte was sent the response's own status is what it might have become.
      const status = response.headersSent ? response.statusCode : ENDINGS['caller-gone'].status;
      const outcome = rule?.name ?? outcomeOf(response, status);
      const isStreamed = generation?.request.stream ?? false;
      metrics.request(route?.path, method, status, durationMs / 1000, isStreamed, outcome);
      logger.request(
        {
          requestId,
          method,
          route: route?.path ?? 'none',
          status,
          durationMs,
          outcome,
          keyHash: caller?.keyHash,
          generation,
        },
        rule?.logLevel,
      );
    });
  };
}

/** Where no generation says it. A status that is a failure is never told as completed, whoever wrote it. */
function outcomeOf(response: ServerResponse & Logged, status: number): EndingName {
  // Who is refused while his body comes is often gone before he has read all of why.
  const refusal = response[REFUSAL];
  if (refusal && response.headersSent) return refusal;
  if (!response.writableFinished) return 'caller-gone';
  return status < 400 ? 'completed' : (ERROR_KINDS.find((kind) => ENDINGS[kind].status === status) ?? 'internal');
}

/** What the router and the guard leave on a request. */
interface Routed {
  readonly route?: { readonly path: string };
  readonly caller?: Caller;
}
