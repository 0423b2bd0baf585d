import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Caller } from '../../core/caller.js';
import { ERROR_KINDS, type ErrorKind } from '../../core/errors.js';
import { ENDINGS, type Ending, type EndingName } from '../../core/generation/ending.js';
import { newUuid } from '../../core/ids.js';
import type { Clock } from '../../core/time.js';
import type { PinoLogger } from '../logger.js';
import type { Metrics } from '../metrics.js';

export const REQUEST_ID_HEADER = 'request-id';

const REPLY = Symbol('reply');
const REFUSAL = Symbol('refusal');

/** What a module reports of a request that it answers. */
export interface LoggedReply {
  readonly ending: Ending | undefined;
  /** How its delivery failed, after it had ended. */
  readonly undelivered: Ending | undefined;
  readonly request: { readonly stream: boolean };
}

interface Logged {
  [REPLY]?: LoggedReply;
  /** The kind of error that it is answered with. */
  [REFUSAL]?: ErrorKind;
}

/** Adds the reply to the log line and the metrics of its request. */
export function logReply(response: ServerResponse & Logged, reply: LoggedReply): void {
  response[REPLY] = reply;
}

/** Adds the error that a request was answered with to its log line, where no reply gives more details. */
export function logRefusal(response: ServerResponse & Logged, kind: ErrorKind): void {
  response[REFUSAL] = kind;
}

/**
 * Gives every request an id (`request-id` on the reply), and writes one log line and its metrics at its end. It
 * precedes the application, so that requests refused by the router are counted as well.
 * @param printReply returns the fields of a reply for the line, as the middle of a JSON object
 */
export function requestLog<R extends LoggedReply>(
  { logger, metrics, clock }: RequestLogDependencies,
  printReply: (reply: R) => string,
): RequestListener {
  return (request: IncomingMessage & Routed, response: ServerResponse & Logged) => {
    const began = performance.now();
    const requestId = newUuid(clock.now());
    response.setHeader(REQUEST_ID_HEADER, requestId);
    response.once('close', () => {
      const durationMs = performance.now() - began;
      const reply = response[REPLY] as R | undefined;
      // A completed reply that could not be delivered is a failure.
      const ending = reply?.undelivered ?? reply?.ending;
      const rule = ending && ENDINGS[ending];
      const { route, caller, method = '' } = request;
      // Before any byte was sent the response's own status is only the intended one.
      const status = response.headersSent ? response.statusCode : ENDINGS['caller-gone'].status;
      const outcome = rule?.name ?? outcomeOf(response, status);
      const isStreamed = reply?.request.stream ?? false;
      metrics.request(route?.path, method, status, durationMs / 1000, isStreamed, outcome);
      logger.request(
        { requestId, method, route: route?.path ?? 'none', status, durationMs, outcome, keyHash: caller?.keyHash },
        rule?.logLevel,
        reply,
        printReply,
      );
    });
  };
}

/** Where no reply states it. A failure status is never logged as completed, whichever code wrote it. */
function outcomeOf(response: ServerResponse & Logged, status: number): EndingName {
  // A client that is refused while its body arrives has often left before it has read the refusal.
  const refusal = response[REFUSAL];
  if (refusal && response.headersSent) return refusal;
  if (!response.writableFinished) return 'caller-gone';
  return status < 400 ? 'completed' : (ERROR_KINDS.find((kind) => ENDINGS[kind].status === status) ?? 'internal');
}

export interface RequestLogDependencies {
  readonly logger: PinoLogger;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** Fields that the router and the guard add to a request. */
interface Routed {
  readonly route?: { readonly path: string };
  readonly caller?: Caller;
}
