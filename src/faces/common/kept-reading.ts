import type { Response } from 'express';
import { GatewayError } from '../../core/errors.js';
import { FellBehind, type ReplyLog } from '../../kept-replies/reply-log.js';
import type { Environment } from '../../shared/environment.js';
import { ErrorFilter, GENERATION_ID_HEADER } from '../../shared/http/error.filter.js';
import { emitPaced, Pace } from '../../shared/http/server/paced-stream.js';
import { StallWatch } from '../../shared/http/server/stall-watch.js';
import { StreamWriter } from '../../shared/http/server/stream-writer.js';
import { addWarningLines } from '../../shared/http/warning-header.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { continueFrames } from './event-ids.js';
import { sendParts } from './reply-errors.js';
import { setHeaders } from './read-cache.js';
import { REPLAY_HEADER } from './read-idempotency.js';

interface ReadingOptions {
  readonly isStream: boolean;
  readonly environment: Environment;
  readonly metrics: Metrics;
  /** Changes pieces of a stream; returns undefined for one that is left out. */
  readonly filter?: (piece: Buffer) => Buffer | undefined;
}

/** Sends what one client reads of a log, as it is written. One for each response. */
export class KeptReading {
  private readonly errors = new ErrorFilter();
  private readonly pace = new Pace();
  private readonly writer: StreamWriter | undefined;
  /** Stops the current reader. */
  private leave: (() => void) | undefined;
  private log: ReplyLog | undefined;
  /** The last piece of the stream that was read. */
  private last: Buffer | undefined;

  constructor(
    private readonly response: Response,
    private readonly options: ReadingOptions,
  ) {
    const { isStream, environment, metrics } = options;
    const { heartbeatMs, timeouts } = environment;
    // A client that reads slowly holds the reply in memory. Later than the request itself, whose end it has to learn.
    const limit = setTimeout(() => response.destroy(), timeouts.totalMs + timeouts.stallMs);
    response.prependListener('close', () => {
      clearTimeout(limit);
      this.leave?.();
    });
    if (!isStream) return;
    this.writer = new StreamWriter(response, this.pace, { heartbeatMs, stallMs: timeouts.stallMs });
    metrics.streamOpened();
    const closed = (): void => metrics.streamClosed();
    if (response.destroyed) closed();
    else response.once('close', closed);
  }

  /**
   * @returns `withdrawn` where the request was refused on another replica, and nothing was sent
   * @throws what `fail` takes
   */
  async read(log: ReplyLog): Promise<'sent' | 'withdrawn'> {
    const { response } = this;
    this.log = log;
    const reader = log.reader();
    if (!reader) throw tooLate();
    this.leave = () => void reader.return();
    if (response.destroyed) this.leave();
    await log.begun();
    if (log.end?.kind === 'withdrawn') {
      this.leave();
      return 'withdrawn';
    }
    if (log.generationId !== undefined && !response.headersSent) {
      response.setHeader(GENERATION_ID_HEADER, log.generationId);
    }
    if (log.end?.kind === 'failed') throw log.end.error;
    addWarningLines(response, log.head!.warnings);
    setHeaders(response, log.head!.headers ?? {});
    if (this.writer) {
      const { filter = asIs } = this.options;
      const read = (piece: Buffer): Buffer | undefined => {
        this.last = piece;
        return filter(piece);
      };
      await this.writer.pipe(emitPaced(reader, this.pace, read));
      return 'sent';
    }
    await log.ended();
    // The cast undoes narrowing: the end was set while this method waited.
    const end = log.end as ReplyLog['end'];
    if (end?.kind === 'failed') throw end.error;
    const parts = log.partsFrom(0);
    this.leave();
    if (response.destroyed) return 'sent';
    sendParts(response, parts);
    if (!response.writableFinished) new StallWatch(response, this.options.environment.timeouts.stallMs).start();
    return 'sent';
  }

  /** Answers with the failure of the reply, or ends the stream with it. */
  fail(error: unknown): void {
    const { response, writer, log } = this;
    this.leave?.();
    const end = log?.end?.kind === 'failed' ? log.end : undefined;
    if (!writer?.hasBegun) {
      writer?.stop();
      const known = error instanceof FellBehind ? tooLate() : error;
      if (isNoReply(known)) response.removeHeader(REPLAY_HEADER);
      this.errors.answer(known, response.req, response, { extras: end?.extras, metadata: end?.metadata });
      return;
    }
    const last = end?.inBand?.() ?? this.unreadEnd(error);
    if (last === undefined) response.destroy();
    else writer.end(last);
  }

  /** The end of a stream whose rest this client cannot get; undefined: its beginning is not known. */
  private unreadEnd(error: unknown): string | undefined {
    const { head } = this.log ?? {};
    const isLost = error instanceof GatewayError && error.detail.errorType === 'idempotency_lost';
    const frames = isLost ? head?.lost : head?.notKept;
    return frames === undefined ? undefined : continueFrames(frames, this.last?.toString() ?? '');
  }
}

/** An error of the repetition itself: the first request did not get it. */
const isNoReply = (error: unknown): boolean =>
  error instanceof GatewayError && error.detail.errorType?.startsWith('idempotency_') === true;

const asIs = (piece: Buffer): Buffer => piece;

const tooLate = (): GatewayError =>
  new GatewayError('conflict', 'The reply is too large to be kept, and its beginning is no longer there.', {
    errorType: 'idempotency_not_kept',
    metadata: { error_type: 'idempotency_not_kept' },
  });
