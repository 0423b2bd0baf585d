import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Cancellation } from '../../core/cancellation.js';
import { isLarge, readReply, type Reply } from '../../core/conversation/reply.js';
import { printJson } from '../../core/json/json.js';
import { printInSlices } from '../../core/json/print-in-slices.js';
import { doInSlices } from '../../core/steps.js';
import { CallerGone, withMetadata } from '../../core/errors.js';
import { CutShort } from '../../core/generation/ending.js';
import type { Generation } from '../../core/generation/generation.js';
import { Environment } from '../../shared/environment.js';
import { asGatewayError } from '../../shared/http/as-gateway-error.js';
import { withDocsAddress } from '../../shared/http/own-address.js';
import { ErrorFilter, GENERATION_ID_HEADER } from '../../shared/http/error.filter.js';
import { emitPaced, Pace } from '../../shared/http/server/paced-stream.js';
import { logReply } from '../../shared/http/request-log.js';
import { StallWatch } from '../../shared/http/server/stall-watch.js';
import { StreamWriter } from '../../shared/http/server/stream-writer.js';
import { addWarnings } from '../../shared/http/warning-header.js';
import { Metrics } from '../../shared/telemetry/metrics.js';
import { OpenItems } from '../../shared/open-items.js';
import { CreateCompletion, type AcceptedGeneration } from '../../inference/create-completion.js';
import type { Face, Inference, WholeFace } from './face.js';
import { KeptDelivery } from './kept-delivery.js';
import { costOf, JSON_TYPE, printed, sendParts, unprinted } from './reply-errors.js';
import { originOf } from './read-headers.js';
import { cacheHeaders, readCacheOptions, setHeaders, withCache, type CacheOptions } from './read-cache.js';
import { IDEMPOTENCY_HEADER, RESUMABLE_HEADER } from './read-idempotency.js';

/** Sent when the process stops: another process answers the retry. */
const SHUTDOWN_RETRY_AFTER_MS = 1_000;
/** Milliseconds that the end of a reply that is cut short may take; its reader may be slow or stopped. */
const LAST_WORDS_MS = 2_000;

/** A reply from the request's acceptance until all of it is sent. */
interface ReplyInDelivery {
  readonly response: Response;
  readonly abort: Cancellation;
  generation: Generation | undefined;
  /** The time by which all of it must be sent, by `performance.now()`. The end of the reply alone is not enough. */
  endsAt: number;
}

/**
 * Begins the inference of a controller and delivers the reply to the client, the same for every face. Status and
 * headers are held until there is something to send. Handles back-pressure, heartbeats, and a client that disconnects.
 */
@Injectable()
export class Delivery {
  private readonly open = new OpenItems<ReplyInDelivery>();
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
    private readonly kept: KeptDelivery,
  ) {}

  /**
   * Resolves when the reply or its failure has been sent; never rejects. No handler may wait for it: meanwhile, all
   * objects that Nest creates for a request stay in memory, survive young collections, and cost a tenth of the CPU of a
   * whole reply. So failures before the status are answered here, by the one filter.
   */
  async deliver(response: Response, inference: Inference): Promise<void> {
    const { headers } = response.req;
    const { request, caller, api, observer, face } = inference;
    if (headers[IDEMPOTENCY_HEADER] !== undefined || (request.stream && headers[RESUMABLE_HEADER] === 'true'))
      return this.kept.deliver(response, inference);
    const cacheOptions =
      headers['x-fairlead-cache'] !== undefined || headers['x-openrouter-cache'] !== undefined || request.preset?.cache
        ? readCacheOptions(headers, request.preset?.cache)
        : undefined;
    const { totalMs } = this.environment.timeouts;
    const abort = new Cancellation();
    const inDelivery: ReplyInDelivery = { response, abort, generation: undefined, endsAt: performance.now() + totalMs };
    // Before the line of the request is logged, which also happens on `close`.
    response.prependListener('close', () => gone(inDelivery));
    // The caller may have disconnected during authentication or while its body was read: then no `close` follows.
    if (response.destroyed) gone(inDelivery);
    const handle = this.open.add(inDelivery);
    if (this.deadline === undefined) this.watchDeadlines(totalMs);
    try {
      const origin = originOf(response);
      const start = { request, caller, api, origin, observer };
      const accepted = this.completions.begin(
        cacheOptions ? await withCache(start, cacheOptions, response) : start,
        abort,
      );
      const { generation } = accepted;
      inDelivery.generation = generation;
      response.setHeader(GENERATION_ID_HEADER, generation.id);
      logReply(response, generation);
      // Warnings are known now, or with the reply. A heartbeat may send the headers before that.
      if (generation.warnings) addWarnings(response, generation.warnings);
      if (request.stream && 'printer' in face) await this.deliverStream(response, accepted, face, cacheOptions);
      else {
        const reply = await accepted.reply;
        if (generation.warnings) addWarnings(response, generation.warnings);
        if (generation.cache && cacheOptions) setHeaders(response, cacheHeaders(cacheOptions.prefix, generation.cache));
        const whole = await readReply(reply);
        const sending = sendWhole(response, generation, face, whole);
        if (sending) await sending;
      }
    } catch (error) {
      const { generation } = inDelivery;
      if (generation?.warnings) addWarnings(response, generation.warnings);
      this.errors.answer(error, response.req, response, { extras: generation?.extras, metadata: costOf(generation) });
    } finally {
      if (isOver(response)) this.open.remove(handle);
      else this.watchUntilSent(response, handle, request.stream);
    }
  }

  /** Nearly every reply has been sent by the next turn of the event loop: only the others are watched. */
  private watchUntilSent(response: Response, handle: number, isStream: boolean): void {
    setImmediate(() => {
      if (isOver(response)) {
        this.open.remove(handle);
        return;
      }
      response.once('close', () => this.open.remove(handle));
      // The writer of a stream watches it already.
      if (!isStream) new StallWatch(response, this.environment.timeouts.stallMs).start();
    });
  }

  private watchDeadlines(afterMs: number): void {
    this.deadline = setTimeout(() => {
      const now = performance.now();
      let next = Infinity;
      for (const inDelivery of this.open) {
        // A timer may fire up to a millisecond early.
        if (inDelivery.endsAt < now + 1) {
          inDelivery.endsAt = Infinity;
          cutShort(
            inDelivery,
            new CutShort('deadline', 'timed-out', 'The request took longer than this gateway allows.'),
          );
        } else if (inDelivery.endsAt < next) next = inDelivery.endsAt;
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
    for (const inDelivery of this.open) cutShort(inDelivery, reason);
    this.kept.abortAll(reason);
  }

  private async deliverStream(
    response: Response,
    { generation, reply }: AcceptedGeneration,
    face: Face,
    cacheOptions: CacheOptions | undefined,
  ): Promise<void> {
    const pace = new Pace();
    const writer = new StreamWriter(response, pace, {
      heartbeatMs: this.environment.heartbeatMs,
      stallMs: this.environment.timeouts.stallMs,
    });
    this.metrics.streamOpened();
    const closed = (): void => this.metrics.streamClosed();
    // If the client disconnected while the body was read, `close` has already been emitted.
    if (response.destroyed) closed();
    else response.once('close', closed);
    try {
      const events = await reply;
      if (generation.warnings) addWarnings(response, generation.warnings);
      if (generation.cache && cacheOptions) setHeaders(response, cacheHeaders(cacheOptions.prefix, generation.cache));
      const printer = face.printer(generation);
      await writer.pipe(emitPaced(events, pace, (batch) => printed(generation, () => printer.print(batch))));
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

/**
 * The connection has closed: before the reply is sent, that means that the client has disconnected, and all work for it
 * ends.
 */
function gone({ response, abort, generation }: ReplyInDelivery): void {
  if (response.writableFinished) return;
  if (generation?.phase === 'ended') generation.failDelivery(new CallerGone());
  abort.abort(new CallerGone());
}

/** Whether the reply is over, or waits behind another on its connection: such a reply may never emit its end. */
const isOver = (response: Response): boolean => response.writableFinished || response.destroyed || !response.socket;

/** Sends a whole reply: at once, except for a large one. */
function sendWhole(
  response: Response,
  generation: Generation,
  face: WholeFace,
  reply: Reply,
): Promise<void> | undefined {
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
  sendParts(response, parts);
}

/** Ends a reply from outside. What its reader has not taken soon after is dropped, whole or streamed. */
function cutShort({ response, abort, generation }: ReplyInDelivery, reason: CutShort): void {
  abort.abort(reason);
  setTimeout(() => {
    // Before it has answered, its error is sent in the normal way.
    if (isOver(response) || (generation?.phase !== 'answering' && generation?.phase !== 'ended')) return;
    generation.failDelivery(reason);
    response.destroy();
  }, LAST_WORDS_MS).unref();
}
