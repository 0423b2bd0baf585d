import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Cancellation } from '../core/cancellation.js';
import { ReplyBuilder } from '../core/conversation/reply.js';
import { printJson } from '../core/json/json.js';
import { CallerGone, GatewayError, ProviderFault } from '../core/errors.js';
import { CutShort } from '../core/generation/ending.js';
import type { Generation } from '../core/generation/generation.js';
import { faultError } from '../routing/fault-policies.js';
import { Environment } from '../shared/environment.js';
import { abortWhenGone } from '../shared/http/abort-when-gone.js';
import { asGatewayError } from '../shared/http/as-gateway-error.js';
import { ErrorFilter, GENERATION_ID_HEADER } from '../shared/http/error.filter.js';
import { observe, Pace } from '../shared/http/paced.js';
import { logGeneration } from '../shared/http/request-log.js';
import { StallWatch } from '../shared/http/stall-watch.js';
import { StreamWriter } from '../shared/http/stream-writer.js';
import { Metrics } from '../shared/metrics.js';
import { OpenItems } from '../shared/open-items.js';
import { CreateCompletion, type AcceptedGeneration } from './create-completion.js';
import type { Face, Inference } from './inference.js';

/** Told where the process stops: another one answers, or the next. */
const SHUTDOWN_RETRY_AFTER_MS = 1_000;

/**
 * Begins what a controller of inference asks for, and carries the reply to the client, the same for every face: status
 * and headers held until there is something to tell, back-pressure, heartbeats, and the end of everything when the
 * client goes.
 */
@Injectable()
export class Delivery {
  private readonly open = new OpenItems<Cancellation>();
  private readonly errors = new ErrorFilter();

  constructor(
    private readonly completions: CreateCompletion,
    private readonly environment: Environment,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Returns at once. A handler that waited for the reply would keep all that Nest makes for a request for as long as
   * its provider takes: that outlives young collections, and cost a tenth of a whole reply. So failures before the
   * status was sent are answered here, by the one filter.
   */
  deliver(response: Response, inference: Inference): void {
    void this.carry(response, inference);
  }

  private async carry(response: Response, inference: Inference): Promise<void> {
    const abort = abortWhenGone(response);
    // Until all is out, and not only until the reply has ended: its provider may not close.
    const deadline = setTimeout(() => {
      abort.abort(new CutShort('deadline', 'timed-out', 'The request took longer than this gateway allows.'));
    }, this.environment.timeouts.totalMs);
    const place = this.open.add(abort);
    let generation: Generation | undefined;
    try {
      const accepted = this.completions.begin(inference, abort);
      generation = accepted.generation;
      response.setHeader(GENERATION_ID_HEADER, generation.id);
      logGeneration(response, generation);
      if (inference.request.stream) await this.deliverStream(response, accepted, inference.face);
      else await this.deliverWhole(response, accepted, inference.face);
    } catch (error) {
      this.errors.answer(error, response.req, response, generation?.extras);
    } finally {
      clearTimeout(deadline);
      this.open.remove(place);
    }
  }

  /** Ends every open generation, each with an error of its own form: the process is stopping. */
  abortAll(): void {
    const reason = new CutShort(
      'shutdown',
      'unavailable',
      'The gateway is shutting down; retry.',
      SHUTDOWN_RETRY_AFTER_MS,
    );
    for (const abort of this.open) abort.abort(reason);
  }

  private async deliverWhole(response: Response, { generation, reply }: AcceptedGeneration, face: Face): Promise<void> {
    const builder = new ReplyBuilder();
    for await (const batch of await reply) for (const event of batch) builder.push(event);
    const json = printed(generation, () => printJson(face.view(generation, builder.finish())));
    response.writeHead(200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(json),
    });
    response.end(json);
    // Nearly every reply is out by the next turn of the event loop: only the others are watched.
    setImmediate(() => {
      if (!response.writableFinished) new StallWatch(response, this.environment.timeouts.stallMs).start();
    });
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
    // Who left while the body was read has closed already: that is not told again.
    if (response.closed) closed();
    else response.once('close', closed);
    try {
      const events = await reply;
      const printer = face.printer(generation);
      await writer.pipe(observe(events, pace, (batch) => printed(generation, () => printer.print(batch))));
    } catch (error) {
      generation.failDelivery(error);
      if (!writer.hasBegun || error instanceof CallerGone) {
        writer.stop();
        throw error;
      }
      writer.end(face.failure(generation, asGatewayError(error)));
    }
  }
}

/**
 * Runs what prints a reply. What cannot be printed ends the generation before its reader leaves it: that is the
 * provider's doing and not the caller's.
 */
function printed<T>(generation: Generation, print: () => T): T {
  try {
    return print();
  } catch (thrown) {
    const error = printError(thrown, generation);
    generation.failDelivery(error);
    throw error;
  }
}

/** What the caller is told. Nesting too is the provider's doing, of which the parser takes more than the printer. */
function printError(thrown: unknown, { answer }: Generation): unknown {
  if (thrown instanceof ProviderFault && answer) return faultError(thrown, answer.leg);
  if (!(thrown instanceof RangeError)) return thrown;
  return new GatewayError('upstream-failed', "The provider's reply is nested too deep.", {}, { cause: thrown });
}
