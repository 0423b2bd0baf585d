import type { ServerResponse } from 'node:http';
import type { Observable, Observer } from 'rxjs';
import { writeComment } from '../../../core/stream/sse.js';
import { elapsedMs } from '../../../core/time.js';
import { ChunkedBody } from './chunked-body.js';
import type { Pace } from './paced-stream.js';
import { StallWatch } from './stall-watch.js';

/** Headers of an event stream: no caching, no buffering, no compression by clients and proxies. */
const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

const HEARTBEAT = writeComment('FAIRLEAD PROCESSING');

export interface StreamLimits {
  /** Longest silence on the wire, after which a comment is sent. Counted from acceptance. */
  readonly heartbeatMs: number;
  /** A client that takes no byte for this long counts as gone. */
  readonly stallMs: number;
}

/**
 * Writes one event stream. Status and headers wait for the first bytes and are sent with them, in one write: until then
 * the reply can still become plain JSON with a separate status. One per reply; starts to count silence when it is
 * created.
 */
export class StreamWriter {
  private readonly body: ChunkedBody;
  private readonly stall: StallWatch;
  private readonly heartbeatMs: number;
  /** Ends the piped source when the client has disconnected. */
  private abandon: (() => void) | undefined;
  private heartbeat: NodeJS.Timeout;
  /** Time of the last write, by `elapsedMs`. */
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
    // One listener for the whole reply: Node warns from the eleventh listener of a reply on.
    response.once('close', () => {
      this.stop();
      this.abandon?.();
    });
  }

  /** True once the status is sent: from here on failures are reported in-band. */
  get hasBegun(): boolean {
    return this.response.headersSent;
  }

  /**
   * Writes every chunk of the observable and ends the reply. Rejects with the observable's error, leaving the reply
   * open.
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

  /** Ends the reply, after `last` if given. */
  end(last?: string): void {
    if (last !== undefined) this.write(last);
    clearTimeout(this.heartbeat);
    this.body.end();
    this.stall.start();
  }

  /** Stops counting silence; for a reply that turned out not to be a stream, and for one that is over. */
  stop(): void {
    clearTimeout(this.heartbeat);
  }

  write(chunk: Uint8Array | string): void {
    // An empty chunk would be the end marker of the framing.
    if (chunk.length === 0) return;
    if (!this.body.hasBegun) this.body.begin(200, STREAM_HEADERS);
    this.spokeAt = elapsedMs();
    if (!this.body.write(chunk)) this.pause();
  }

  /** The timer is not reset by every write: it checks the length of the silence, and runs again. */
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

/** A class, so that all streams share the handlers of each event. */
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
