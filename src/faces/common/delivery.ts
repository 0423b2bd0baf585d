import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Cancellation } from '../../core/cancellation.js';
import { isLarge, readReply, type Reply } from '../../core/conversation/reply.js';
import { printJson } from '../../core/json/json.js';
import { usdNumber } from '../../core/money/credits.js';
import { printInSlices } from '../../core/json/print-in-slices.js';
import { doInSlices } from '../../core/steps.js';
import { CallerGone, ProviderFault, withMetadata, type ErrorDetail } from '../../core/errors.js';
import { CutShort } from '../../core/generation/ending.js';
import type { Generation, RequestOrigin } from '../../core/generation/generation.js';
import { faultError } from '../../routing/fault-policies.js';
import { Environment } from '../../shared/environment.js';
import { asGatewayError } from '../../shared/http/as-gateway-error.js';
import { withDocsAddress } from '../../shared/http/base-url.js';
import { ErrorFilter, GENERATION_ID_HEADER } from '../../shared/http/error.filter.js';
import { observe, Pace } from '../../shared/http/paced.js';
import { logReply, REQUEST_ID_HEADER } from '../../shared/http/request-log.js';
import { StallWatch } from '../../shared/http/stall-watch.js';
import { StreamWriter } from '../../shared/http/stream-writer.js';
import { addWarnings } from '../../shared/http/warning-header.js';
import { Metrics } from '../../shared/metrics.js';
import { OpenItems } from '../../shared/open-items.js';
import { CreateCompletion, type AcceptedGeneration } from '../../inference/create-completion.js';
import type { Face, Inference } from './face.js';

/** Sent when the process stops: another process answers the retry. */
const SHUTDOWN_RETRY_AFTER_MS = 1_000;
/** How long the end of a reply that is cut short may take; its reader may be slow or stopped. */
const LAST_WORDS_MS = 2_000;

/** A reply from the request's acceptance until all of it is sent. */
interface Carried {
  readonly response: Response;
  readonly abort: Cancellation;
  generation: Generation | undefined;
  /** By `performance.now()`: the time by which all of it must be sent, not only the reply ended. */
  endsAt: number;
}

/**
 * Begins the inference of a controller and delivers the reply to the client, the same for every face: status and
 * headers are held until there is something to send; it handles back-pressure, heartbeats, and a client that
 * disconnects.
 */
@Injectable()
export class Delivery {
  private readonly open = new OpenItems<Carried>();
  private readonly errors = new ErrorFilter();
  /**
   * A single timer for all open replies: it fires at the first of the deadlines known when it was set. Most replies are
   * over by then.
   */
  private deadline: NodeJS.Timeout | undefined;

  constructor(
    private readonly completions: CreateCompletion,
    private readonly environment: Environment,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Resolves when the reply or its failure has been sent; never rejects. No handler may wait for it: that would retain
   * all that Nest creates for a request for as long as its provider takes, which outlives young collections, and costs
   * a tenth of a whole reply. So failures before the status are answered here, by the one filter.
   */
  async deliver(response: Response, inference: Inference): Promise<void> {
    const { request, caller, api, observer, face } = inference;
    const { totalMs } = this.environment.timeouts;
    const abort = new Cancellation();
    const carried: Carried = { response, abort, generation: undefined, endsAt: performance.now() + totalMs };
    // Before the line of the request is logged, which also happens on `close`.
    response.prependListener('close', () => gone(carried));
    // The caller may have disconnected during authentication or while its body was read: then no `close` follows.
    if (response.destroyed) gone(carried);
    const place = this.open.add(carried);
    if (this.deadline === undefined) this.watchDeadlines(totalMs);
    try {
      const origin = originOf(response);
      const accepted = this.completions.begin({ request, caller, api, origin, observer }, abort);
      const { generation } = accepted;
      carried.generation = generation;
      response.setHeader(GENERATION_ID_HEADER, generation.id);
      logReply(response, generation);
      // Known at once, or when there is a reply; a heartbeat may be sent before that.
      if (generation.warnings) addWarnings(response, generation.warnings);
      if (request.stream) await this.deliverStream(response, accepted, face);
      else {
        const reply = await accepted.reply;
        if (generation.warnings) addWarnings(response, generation.warnings);
        const whole = await readReply(reply);
        const sending = sendWhole(response, generation, face, whole);
        if (sending) await sending;
      }
    } catch (error) {
      const { generation } = carried;
      if (generation?.warnings) addWarnings(response, generation.warnings);
      this.errors.answer(error, response.req, response, { extras: generation?.extras, metadata: costOf(generation) });
    } finally {
      if (isOver(response)) this.open.remove(place);
      else this.outlast(response, place, request.stream);
    }
  }

  /** Nearly every reply has been sent by the next turn of the event loop: only the others are watched. */
  private outlast(response: Response, place: number, isStream: boolean): void {
    setImmediate(() => {
      if (isOver(response)) {
        this.open.remove(place);
        return;
      }
      response.once('close', () => this.open.remove(place));
      // The writer of a stream watches it already.
      if (!isStream) new StallWatch(response, this.environment.timeouts.stallMs).start();
    });
  }

  private watchDeadlines(afterMs: number): void {
    this.deadline = setTimeout(() => {
      const now = performance.now();
      let next = Infinity;
      for (const carried of this.open) {
        // A timer may fire up to a millisecond early.
        if (carried.endsAt < now + 1) {
          carried.endsAt = Infinity;
          cutShort(carried, new CutShort('deadline', 'timed-out', 'The request took longer than this gateway allows.'));
        } else if (carried.endsAt < next) next = carried.endsAt;
      }
      this.deadline = undefined;
      if (next < Infinity) this.watchDeadlines(Math.ceil(next - now));
    }, afterMs);
    // A caller that waits has a connection, which keeps the process alive.
    this.deadline.unref();
  }

  /** Ends every open generation, each with an error in the form of its face: the process is stopping. */
  abortAll(): void {
    const reason = new CutShort(
      'shutdown',
      'service-unavailable',
      'The gateway is shutting down; retry.',
      SHUTDOWN_RETRY_AFTER_MS,
    );
    for (const carried of this.open) cutShort(carried, reason);
  }

  private async deliverStream(
    response: Response,
    { generation, reply }: AcceptedGeneration,
    face: Face,
  ): Promise<void> {
    const pace = new Pace();
    const writer = new StreamWriter(response, pace, {
      heartbeatMs: this.environment.heartbeatMs,
      stallMs: this.environment.timeouts.stallMs,
    });
    this.metrics.streamOpened();
    const closed = (): void => this.metrics.streamClosed();
    // A client that left while the body was read has already closed: `close` is not emitted again.
    if (response.destroyed) closed();
    else response.once('close', closed);
    try {
      const events = await reply;
      if (generation.warnings) addWarnings(response, generation.warnings);
      const printer = face.printer(generation);
      await writer.pipe(observe(events, pace, (batch) => printed(generation, () => printer.print(batch))));
    } catch (error) {
      generation.failDelivery(error);
      if (!writer.hasBegun || error instanceof CallerGone) {
        writer.stop();
        throw error;
      }
      const failure = withDocsAddress(asGatewayError(error), response.req);
      writer.end(face.failure(generation, withMetadata(failure, costOf(generation))));
    }
  }
}

function originOf(response: Response): RequestOrigin {
  const { traceparent, tracestate } = response.req.headers;
  return {
    requestId: String(response.getHeader(REQUEST_ID_HEADER)),
    // Sent twice, it is invalid.
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    tracestate: typeof tracestate === 'string' ? tracestate : undefined,
  };
}

/** What the error of a generation states that is charged (docs/use/errors.md#cost). */
function costOf(generation: Generation | undefined): ErrorDetail['metadata'] {
  const cost = generation?.bill?.cost ?? 0n;
  return cost === 0n ? undefined : { cost: usdNumber(cost) };
}

/**
 * The connection has closed: before the reply is sent, that means that the caller has left, and all work for it ends.
 */
function gone({ response, abort, generation }: Carried): void {
  if (response.writableFinished) return;
  if (generation?.phase === 'ended') generation.failDelivery(new CallerGone());
  abort.abort(new CallerGone());
}

/** Also true of a reply that waits behind another on its connection: its end may never be emitted. */
const isOver = (response: Response): boolean => response.writableFinished || response.destroyed || !response.socket;

/** Sends a whole reply: at once, except for a large one. */
function sendWhole(response: Response, generation: Generation, face: Face, reply: Reply): Promise<void> | undefined {
  let text: string;
  try {
    const body = doInSlices(face.view(generation, reply));
    if (body instanceof Promise || isLarge(reply) || generation.files.length > 0)
      return sendInSlices(response, generation, body);
    text = printJson(body);
  } catch (thrown) {
    throw unprinted(thrown, generation);
  }
  response.writeHead(200, { 'Content-Type': JSON_TYPE, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
  return undefined;
}

async function sendInSlices(response: Response, generation: Generation, body: object | Promise<object>): Promise<void> {
  let parts: readonly Buffer[];
  try {
    parts = await printInSlices(await body);
  } catch (thrown) {
    throw unprinted(thrown, generation);
  }
  response.writeHead(200, {
    'Content-Type': JSON_TYPE,
    'Content-Length': parts.reduce((bytes, part) => bytes + part.length, 0),
  });
  // The parts that are not sent yet go with the next turn, in one write.
  if (parts.length > 1) response.cork();
  for (const part of parts.slice(0, -1)) response.write(part);
  response.end(parts.at(-1));
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Ends a reply from outside. What its reader has not taken soon after is dropped, whole or streamed. */
function cutShort({ response, abort, generation }: Carried, reason: CutShort): void {
  abort.abort(reason);
  setTimeout(() => {
    // Before it has answered, its error is sent in the normal way.
    if (isOver(response) || (generation?.phase !== 'answering' && generation?.phase !== 'ended')) return;
    generation.failDelivery(reason);
    response.destroy();
  }, LAST_WORDS_MS).unref();
}

/**
 * Prints a reply. A failure to print ends the generation before its reader stops, because the provider caused it and
 * not the caller.
 */
function printed<T>(generation: Generation, print: () => T): T {
  try {
    return print();
  } catch (thrown) {
    throw unprinted(thrown, generation);
  }
}

function unprinted(thrown: unknown, generation: Generation): unknown {
  const error = printError(thrown, generation);
  generation.failDelivery(error);
  return error;
}

/** The error for the caller. Nesting is the provider's fault too: the parser accepts more levels than the printer. */
function printError(thrown: unknown, { answer }: Generation): unknown {
  const fault =
    thrown instanceof RangeError
      ? new ProviderFault('malformed-reply', "The provider's reply is nested too deep.", {}, { cause: thrown })
      : thrown;
  return fault instanceof ProviderFault && answer ? faultError(fault, answer.leg) : fault;
}
