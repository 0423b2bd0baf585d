import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { map, filter } from 'rxjs';
import type { Cancellation } from '../core/cancellation.js';
import { ReplyFold, type Reply } from '../core/conversation/reply.js';
import { printJson } from '../core/exact-json.js';
import { CallerGone, GatewayError } from '../core/errors.js';
import type { GenerationId } from '../core/ids.js';
import type { JsonObject } from '../core/json.js';
import { Environment } from '../shared/environment.js';
import { abortWhenGone } from '../shared/http/abort-when-gone.js';
import { asGatewayError } from '../shared/http/as-gateway-error.js';
import { GENERATION_ID_HEADER, noteRouterMetadata } from '../shared/http/error.filter.js';
import type { FramePrinter } from '../shared/http/frame-printer.js';
import { noteGeneration } from '../shared/http/request-log.js';
import { observe, Pace } from '../shared/http/paced.js';
import { StallWatch } from '../shared/http/stall-watch.js';
import { StreamWriter } from '../shared/http/stream-writer.js';
import { Metrics } from '../shared/metrics.js';
import { Slots } from '../shared/slots.js';
import type { Answer, Exchange } from './exchange.js';

/** What a wire format adds to an exchange: how a reply looks, streamed and whole. */
export interface Face {
  printer(id: GenerationId, answer: Answer): FramePrinter;
  /** The whole reply's body. @throws ProviderFault when it cannot be printed validly */
  view(id: GenerationId, answer: Answer, reply: Reply): object;
  /** The in-band failure of a stream that has begun, and the sentinel. Without an answer nobody had committed himself yet. */
  failure(
    id: GenerationId,
    error: GatewayError,
    routerMetadata: JsonObject | undefined,
    answer: Answer | undefined,
  ): string;
}

/**
 * Carries exchanges to the client over HTTP, the same for every face: status and headers held until there is something to tell,
 * back-pressure, heartbeats, and the end of everything when the client goes.
 */
@Injectable()
export class Delivery {
  private readonly open = new Slots<Cancellation>();

  constructor(
    private readonly environment: Environment,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Begins the exchange and delivers it. Resolves when the reply is out or the client gone; failures before the status was sent
   * are thrown, for the error filter to answer with their own status.
   */
  async deliver(
    response: Response,
    stream: boolean,
    begin: (abort: Cancellation) => Exchange,
    face: Face,
  ): Promise<void> {
    const abort = abortWhenGone(response);
    const place = this.open.take(abort);
    try {
      const exchange = begin(abort);
      response.setHeader(GENERATION_ID_HEADER, exchange.id);
      noteGeneration(response, exchange.facts);
      if (exchange.routerMetadata) noteRouterMetadata(response, exchange.routerMetadata);
      if (stream) await this.deliverStream(response, exchange, face);
      else await this.deliverWhole(response, exchange, face);
    } finally {
      this.open.give(place);
    }
  }

  /** Ends every open exchange, each with an error of its own form: the process is stopping. */
  abortAll(): void {
    const reason = new GatewayError('unavailable', 'The gateway is shutting down; retry.', { retryAfterMs: 1_000 });
    for (const abort of this.open) abort.abort(reason);
  }

  private async deliverWhole(response: Response, exchange: Exchange, face: Face): Promise<void> {
    const answer = await exchange.answer;
    const fold = new ReplyFold();
    for await (const batch of answer.events) for (const event of batch) fold.push(event);
    const json = printWhole(exchange, answer, fold.finish(), face);
    response.writeHead(200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(json),
    });
    response.end(json);
    // Nearly every reply is out by the next turn of the event loop: only the others are watched.
    setImmediate(() => new StallWatch(response, this.environment.timeouts.stallMs).start());
  }

  private async deliverStream(response: Response, exchange: Exchange, face: Face): Promise<void> {
    const pace = new Pace();
    const writer = new StreamWriter(response, pace, {
      heartbeatMs: this.environment.heartbeatMs,
      stallMs: this.environment.timeouts.stallMs,
    });
    this.metrics.streamOpened();
    response.once('close', () => this.metrics.streamClosed());
    let answer: Answer | undefined;
    try {
      answer = await exchange.answer;
      const printer = face.printer(exchange.id, answer);
      await writer.pipe(
        observe(answer.events, pace).pipe(
          map((events) => printed(() => printer.print(events))),
          filter((chunk): chunk is Uint8Array | string => chunk !== undefined && chunk.length > 0),
        ),
      );
    } catch (error) {
      exchange.spoiled(error);
      if (!writer.hasBegun || error instanceof CallerGone) {
        writer.stop();
        throw error;
      }
      writer.end(face.failure(exchange.id, asGatewayError(error), exchange.routerMetadata?.(), answer));
    }
  }
}

/** Runs what prints a reply. The parser takes deeper nesting than the printer: that is the provider's doing. */
function printed<T>(print: () => T): T {
  try {
    return print();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new GatewayError('upstream-failed', "The provider's reply is nested too deep.", {}, { cause: error });
  }
}

function printWhole(exchange: Exchange, answer: Answer, reply: Reply, face: Face): string {
  try {
    return printed(() => printJson(face.view(exchange.id, answer, reply)));
  } catch (error) {
    exchange.spoiled(error);
    throw error;
  }
}
