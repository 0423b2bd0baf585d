import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Caller } from '../../core/caller.js';
import { ERROR_KINDS, type ErrorDetail, type ErrorKind } from '../../core/errors.js';
import { ENDINGS, type Ending, type EndingName } from '../../core/generation/ending.js';
import { newUuid } from '../../core/ids.js';
import type { Clock } from '../../core/time.js';
import type { PinoLogger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';

export const REQUEST_ID_HEADER = 'request-id';

const REPLY = Symbol('reply');
const REFUSAL = Symbol('refusal');

/** The facts that a module reports about a request that it answers. */
export interface LoggedReply {
  readonly ending: Ending | undefined;
  /** The failure of its delivery after its end. */
  readonly undelivered: Ending | undefined;
  readonly request: { readonly stream: boolean };
}

interface LoggedResponse {
  [REPLY]?: LoggedReply;
  [REFUSAL]?: Refusal;
}

/** The error that a request is answered with. */
interface Refusal {
  readonly kind: ErrorKind;
  readonly metadata: ErrorDetail['metadata'] | undefined;
}

/** Adds the reply to the log line and the metrics of its request. */
export function logReply(response: ServerResponse & LoggedResponse, reply: LoggedReply): void {
  response[REPLY] = reply;
}

/** Adds the error that a request is answered with to its log line: its kind, where no reply has one, and its limit. */
export function logRefusal(
  response: ServerResponse & LoggedResponse,
  kind: ErrorKind,
  metadata?: ErrorDetail['metadata'],
): void {
  response[REFUSAL] = { kind, metadata };
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
  return (request: IncomingMessage & RoutedRequest, response: ServerResponse & LoggedResponse) => {
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
      const refusal = status < 400 ? undefined : response[REFUSAL];
      const outcome = rule?.name ?? outcomeOf(response, status, refusal);
      const limitSource = refusal && limitOf(refusal);
      const isStreamed = reply?.request.stream ?? false;
      metrics.request(route?.path, method, status, durationMs / 1000, isStreamed, outcome);
      logger.request(
        {
          requestId,
          method,
          route: route?.path ?? 'none',
          status,
          durationMs,
          outcome,
          limitSource,
          keyHash: caller?.keyHash,
        },
        rule?.logLevel,
        reply,
        printReply,
      );
    });
  };
}

/** The outcome if no reply states it. A failure status is never logged as completed, whichever code wrote it. */
function outcomeOf(response: ServerResponse, status: number, refusal: Refusal | undefined): EndingName {
  // A client that is refused while its body arrives has often disconnected before it has read the refusal.
  if (refusal && response.headersSent) return refusal.kind;
  if (!response.writableFinished) return 'caller-gone';
  return status < 400 ? 'completed' : (ERROR_KINDS.find((kind) => ENDINGS[kind].status === status) ?? 'internal');
}

/**
 * `limit_source` of the error. The id in `budget:<scope>:<id>:<interval>` may come from a body, and is left out.
 */
function limitOf({ metadata }: Refusal): string | undefined {
  const source = metadata?.['limit_source'];
  return typeof source === 'string' ? source.replace(/^(budget:\w+):.*(:\w+)$/su, '$1$2') : undefined;
}

export interface RequestLogDependencies {
  readonly logger: PinoLogger;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** Fields that the router and the guard add to a request. */
interface RoutedRequest {
  readonly route?: { readonly path: string };
  readonly caller?: Caller;
}
