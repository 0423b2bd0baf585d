import type { ServerResponse } from 'node:http';
import type { Observable, Observer } from 'rxjs';
import { writeComment } from '../../core/stream/sse.js';
import { elapsedMs } from '../../core/time.js';
import { ChunkedBody } from './chunked-body.js';
import type { Pace } from './paced.js';
import { StallWatch } from './stall-watch.js';

/** What clients and proxies must be told of an event stream: never cached, never buffered, never compressed. */
const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

const HEARTBEAT = writeComment('FAIRLEAD PROCESSING');

export interface StreamLimits {
  /** Longest silence on the wire; then a comment goes out. Counted from acceptance. */
  readonly heartbeatMs: number;
  /** A client that takes no byte for so long is gone. */
  readonly stallMs: number;
}

/**
 * Writes one event stream. Status and headers wait for the first bytes and go out with them, in one write:
 * until then the reply can still become plain JSON with a status of its own. One per reply; begins to count
 * silence when it is made.
 */
export class StreamWriter {
  private readonly body: ChunkedBody;
  private readonly stall: StallWatch;
  private readonly heartbeatMs: number;
  /** Ends what is piped when the client has gone. */
  private abandon: (() => void) | undefined;
  private heartbeat: NodeJS.Timeout;
  /** When something was last written, by `elapsedMs`. */
  private spokeAt = elapsedMs();

  constructor(
    private readonly response: ServerResponse,
    private readonly pace: Pace,
    limits: StreamLimits,
  ) {
    this.body = new ChunkedBody(response);
    this.stall = new StallWatch(response, limits.stallMs);
    this.heartbeatMs = limits.heartbeatMs;
    this.heartbeat = setTimeout(this.beat, limits.heartbeatMs);
    response.on('drain', () => this.drained());
    response.once('finish', () => this.stop());
    // One listener for all of it: a reply has ten of them at most, and Node warns of the next.
    response.once('close', () => {
      this.stop();
      this.abandon?.();
    });
  }

  /** True once the status is on its way: from here on failures are told in-band. */
  get hasBegun(): boolean {
    return this.response.headersSent;
  }

  /**
   * Writes every chunk the observable gives and ends the reply. Rejects with the observable's
   * error, the reply still open.
   */
  pipe(chunks: Observable<Uint8Array | string>): Promise<void> {
    return new Promise((resolve, reject) => {
      const subscription = chunks.subscribe(new PipedChunks(this, resolve, reject));
      this.abandon = () => {
        subscription.unsubscribe();
        resolve();
      };
    });
  }

  /** Ends the reply, after `last` when there is something left to say. */
  end(last?: string): void {
    if (last !== undefined) this.write(last);
    clearTimeout(this.heartbeat);
    this.body.end();
    this.stall.start();
  }

  /** Stops counting; for a reply that turned out to be no stream, and for one that is over. */
  stop(): void {
    clearTimeout(this.heartbeat);
  }

  write(chunk: Uint8Array | string): void {
    // Nothing, framed, would be the end.
    if (chunk.length === 0) return;
    if (!this.body.hasBegun) this.body.begin(200, STREAM_HEADERS);
    this.spokeAt = elapsedMs();
    if (!this.body.write(chunk)) this.pause();
  }

  /** The timer is not set anew for every write: it looks how long the silence is, and comes again. */
  private readonly beat = (): void => {
    const leftMs = this.spokeAt + this.heartbeatMs - elapsedMs();
    this.heartbeat = setTimeout(this.beat, leftMs > 0 ? leftMs : this.heartbeatMs);
    // A reader that takes nothing needs no sign of life, and must not be sent more.
    if (leftMs <= 0 && !this.pace.isPaused) this.write(HEARTBEAT);
  };

  private pause(): void {
    if (this.pace.isPaused) return;
    this.pace.pause();
    this.stall.start();
  }

  private drained(): void {
    this.stall.stop();
    this.pace.resume();
  }
}

/** A class, so that each event finds what to do with it where it is for all streams. */
class PipedChunks implements Observer<Uint8Array | string> {
  constructor(
    private readonly writer: StreamWriter,
    private readonly resolve: () => void,
    private readonly reject: (reason: unknown) => void,
  ) {}

  next(chunk: Uint8Array | string): void {
    this.writer.write(chunk);
  }

  error(reason: unknown): void {
    this.reject(reason);
  }

  complete(): void {
    this.writer.end();
    this.resolve();
  }
}
