import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Caller } from '../../core/caller.js';
import { ERROR_KINDS, type ErrorKind } from '../../core/errors.js';
import { ENDINGS, type Ending, type EndingName } from '../../core/generation/ending.js';
import type { Generation, GenerationObserver } from '../../core/generation/generation.js';
import type { ProviderCall } from '../../core/generation/provider-call.js';
import { newUuid } from '../../core/ids.js';
import { usdNumber } from '../../core/money/credits.js';
import { systemErrorOf } from '../../core/system-error.js';
import type { Clock } from '../../core/time.js';
import type { PinoLogger, RequestLogAttempt, RequestLogGeneration } from '../logger.js';
import type { Metrics } from '../metrics.js';

/** What a generation tells the log line of the request that it answers: read when the line is written. */
class GenerationLog implements GenerationObserver {
  /** Of a reply that was completed and could not be delivered. */
  private undelivered: Ending | undefined;

  constructor(readonly generation: Generation) {}

  deliveryFailed(_: Generation, ending: Ending): void {
    this.undelivered = ending;
  }

  /** What became of the request: a reply that was completed and could not be delivered is none. */
  get ending(): Ending | undefined {
    return this.undelivered ?? this.generation.ending;
  }
}

export const REQUEST_ID_HEADER = 'request-id';

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
    response.setHeader(REQUEST_ID_HEADER, requestId);
    response.once('close', () => {
      const durationMs = performance.now() - began;
      const log = response[GENERATION_LOG];
      const ending = log?.ending && ENDINGS[log.ending];
      const { route, caller, method = '' } = request;
      // Before any byte was sent the response's own status is what it might have become.
      const status = response.headersSent ? response.statusCode : ENDINGS['caller-gone'].status;
      const outcome = ending?.name ?? outcomeOf(response, status);
      metrics.request(route?.path, method, status, durationMs / 1000, log?.generation.request.stream ?? false);
      metrics.refused(outcome);
      const fields = {
        requestId,
        method,
        route: route?.path ?? 'none',
        status,
        durationMs,
        outcome,
        keyHash: caller?.keyHash,
        ...(log && viewGeneration(log.generation)),
      };
      logger.request(fields, ending?.logLevel);
    });
  };
}

/** Where no generation says it. A status that is a failure is never told as completed, whoever wrote it. */
function outcomeOf(response: ServerResponse & WithGenerationLog, status: number): EndingName {
  // Who is refused while his body comes is often gone before he has read all of why.
  const refusal = response[REFUSAL];
  if (refusal && response.headersSent) return refusal;
  if (!response.writableFinished) return 'caller-gone';
  return status < 400 ? 'completed' : (ERROR_KINDS.find((kind) => ENDINGS[kind].status === status) ?? 'internal');
}

/**
 * What the log tells of a generation: closed words, figures, and names that the catalog knows. What was only planned
 * tells the model, for a refusal before the first call.
 */
function viewGeneration(generation: Generation): RequestLogGeneration {
  const { id, request, calls, answer, plan, committedAt, beganAt, charged, usage, bill } = generation;
  const leg = (answer ?? calls.at(-1))?.leg;
  return {
    generationId: id,
    model: (leg ?? plan?.legs[0])?.model.id ?? plan?.models[0],
    provider: leg?.endpoint.provider.slug,
    streamed: request.stream,
    attempts: calls.slice(-ATTEMPTS_LOGGED_MAX).map(viewAttempt),
    ...(calls.length > ATTEMPTS_LOGGED_MAX && { attemptCount: calls.length }),
    ...(request.stream && committedAt !== undefined && { firstTokenMs: committedAt - beganAt }),
    usage: charged ?? usage,
    ...(bill && { costUsd: usdNumber(bill.cost) }),
  };
}

/** Of a loop of tools with many calls the last ones: by them it ended as it did. */
const ATTEMPTS_LOGGED_MAX = 8;

function viewAttempt({ leg, ending, fault, beganAt, endedAt, answeredStatus }: ProviderCall): RequestLogAttempt {
  const rule = ending && ENDINGS[ending];
  const status = fault?.detail.status ?? answeredStatus;
  const code = fault && systemErrorOf(fault)?.code;
  return {
    provider: leg.endpoint.provider.slug,
    model: leg.model.id,
    ...(ending !== 'completed' && { fault: rule ? rule.outcome : 'under-way' }),
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ms: (endedAt ?? performance.now()) - beganAt,
  };
}

/** What the router and the guard leave on a request. */
interface Routed {
  readonly route?: { readonly path: string };
  readonly caller?: Caller;
}
