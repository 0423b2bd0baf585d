import type { Dispatcher } from 'undici';
import type { CancelSignal } from '../core/cancellation.js';
import { ProviderFault } from '../core/errors.js';
import { BytePieces } from '../core/stream/byte-pieces.js';
import { ChunkQueue, WINDOW_BYTES, type ChunkSource } from './chunk-queue.js';
import type { Connection, OriginPool } from './connection.js';
import type { UpstreamResponse } from './transport.js';
import { faultBeforeReply, faultInReply } from './transport-faults.js';

/** Whoever waits for the response's head: the two ends of a promise. */
export interface PendingHead {
  resolve(response: UpstreamResponse): void;
  reject(reason: unknown): void;
  /** Hears that the request is written, where that is at once when there is a connection. */
  readonly written: (() => void) | undefined;
}

/** How a body ended. */
type BodyEnd = { readonly isComplete: true } | { readonly isComplete: false; readonly reason: unknown };

const COMPLETE: BodyEnd = { isComplete: true };

/** Whoever waits for a whole body. */
interface PendingBody {
  readonly bytesMax: number;
  resolve(body: Buffer): void;
  reject(reason: unknown): void;
}

/**
 * One call under way: hears what undici tells of it, and is what the reader holds of it. The call ends with the
 * provider's last byte, a failure, the signal's abort, or a reader who leaves; the last two close the connection.
 *
 * Its body is read as it comes, through a queue, or whole: then its bytes are only kept together.
 */
export class IncomingReply implements UpstreamResponse, Dispatcher.DispatchHandler, ChunkSource {
  status = 0;
  headers: UpstreamResponse['headers'] = {};
  /** Undefined once the provider has no more part in the call: the connection may serve another by then. */
  private connection: Connection | undefined;
  /** Bytes that no queue has: those of a body that is read whole, or that nobody has begun to read. */
  private readonly parts = new BytePieces();
  private end: BodyEnd | undefined;
  private queue: ChunkQueue | undefined;
  private whole: PendingBody | undefined;

  constructor(
    private readonly pool: OriginPool,
    connection: Connection,
    private readonly idleTimeoutMs: number | undefined,
    private readonly signal: CancelSignal,
    private readonly head: PendingHead,
  ) {
    this.connection = connection;
    signal.addEventListener('abort', this, { once: true });
  }

  get chunks(): ChunkQueue {
    return (this.queue ??= this.startQueue());
  }

  read(bytesMax: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.whole = { bytesMax, resolve, reject };
      if (this.parts.bytes > WINDOW_BYTES) this.resume();
      this.settleWhole();
    });
  }

  /** The signal was aborted: what was not read yet is dropped, even when the body is complete. */
  handleEvent(): void {
    const { reason } = this.signal;
    this.head.reject(reason);
    if (this.queue) {
      this.queue.abort(reason);
      return;
    }
    this.parts.clear();
    this.end = { isComplete: false, reason };
    this.settleWhole();
    this.leave();
  }

  // What the body's queue asks for.

  pause(): void {
    this.connection?.pause();
  }

  resume(): void {
    this.connection?.resume();
  }

  leave(): void {
    this.signal.removeEventListener('abort', this);
    this.connection?.abandon();
  }

  // What undici tells. It wants to be listened to from the start, or it takes the listener for one of its older kind.

  /** There is a connection, and in this very turn the request is written to it. */
  onRequestStart(): void {
    this.head.written?.();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: UpstreamResponse['headers']): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.head.resolve(this);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.queue) {
      this.queue.push(chunk);
      return;
    }
    this.parts.add(chunk);
    if (this.whole) {
      if (this.parts.bytes > this.whole.bytesMax) this.settleWhole();
    } else if (this.parts.bytes > WINDOW_BYTES) this.pause();
  }

  onResponseEnd(): void {
    this.giveBack(true);
    this.finish(COMPLETE);
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.giveBack(false);
    if (this.status === 0) {
      // Does nothing when the signal was aborted first.
      this.head.reject(faultBeforeReply(error));
      this.leave();
    } else {
      this.finish({ isComplete: false, reason: faultInReply(error) });
    }
  }

  private finish(end: BodyEnd): void {
    if (this.queue) endQueue(this.queue, end);
    this.end ??= end;
    this.settleWhole();
  }

  /** Nobody knows until then how the body is read: what has come goes through the queue as well. */
  private startQueue(): ChunkQueue {
    const queue = new ChunkQueue(this, this.idleTimeoutMs);
    for (const part of this.parts.takePieces()) queue.push(part);
    if (this.end) endQueue(queue, this.end);
    return queue;
  }

  /** Answers who waits for the whole body, once it is over or too long. */
  private settleWhole(): void {
    const { whole, end, parts } = this;
    if (!whole) return;
    if (parts.bytes > whole.bytesMax) {
      whole.reject(new ProviderFault('malformed-reply', `The provider's reply has more than ${whole.bytesMax} bytes.`));
    } else if (!end) return;
    else if (end.isComplete) whole.resolve(parts.take());
    else whole.reject(end.reason);
    this.whole = undefined;
    parts.clear();
    this.leave();
  }

  private giveBack(reusable: boolean): void {
    const connection = this.connection;
    this.connection = undefined;
    if (connection) this.pool.release(connection, reusable);
  }
}

function endQueue(queue: ChunkQueue, end: BodyEnd): void {
  if (end.isComplete) queue.end();
  else queue.fail(end.reason);
}
