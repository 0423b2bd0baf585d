import type { Dispatcher } from 'undici';
import type { CancelSignal } from '../../core/cancellation.js';
import { ProviderFault } from '../../core/errors.js';
import { BytePieces } from '../../core/stream/byte-pieces.js';
import { ChunkQueue, WINDOW_BYTES, type ChunkSource } from './chunk-queue.js';
import type { Connection, OriginPool } from './connection.js';
import type { UpstreamResponse } from './transport.js';
import { faultBeforeReply, faultInReply } from './transport-faults.js';

/** The promise of the response's head. */
export interface PendingHead {
  resolve(response: UpstreamResponse): void;
  reject(reason: unknown): void;
  /** Called when the request is written; with an open connection that is at once. */
  readonly written: (() => void) | undefined;
}

/** The end of a body. */
type BodyEnd = { readonly isComplete: true } | { readonly isComplete: false; readonly reason: unknown };

const COMPLETE: BodyEnd = { isComplete: true };

/** The promise of a whole body. */
interface PendingBody {
  readonly bytesMax: number;
  resolve(body: Buffer): void;
  reject(reason: unknown): void;
}

/**
 * One active call: undici's handler, and the response for the reader. The call ends with the provider's last byte, a
 * failure, the signal's abort, or a reader that leaves; the last two close the connection.
 *
 * Its body is either streamed through a queue or collected whole.
 */
export class IncomingReply implements UpstreamResponse, Dispatcher.DispatchHandler, ChunkSource {
  status = 0;
  headers: UpstreamResponse['headers'] = {};
  /** Undefined once the provider has finished: the connection may then serve another call. */
  private connection: Connection | undefined;
  /** Bytes outside the queue: of a body that is read whole, or whose reading has not begun. */
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

  /** The signal was aborted: unread bytes are dropped, even when the body is complete. */
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

  // Called by the body's queue.

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

  // Called by undici. It checks for `onRequestStart`; without it, it would treat the handler as one of its older kind.

  /** There is a connection; the request is written to it in this turn of the event loop. */
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
      // Has no effect when the signal was aborted first.
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

  /** The reader decides late how to read the body, so the bytes that have arrived go through the queue as well. */
  private startQueue(): ChunkQueue {
    const queue = new ChunkQueue(this, this.idleTimeoutMs);
    for (const part of this.parts.takePieces()) queue.push(part);
    if (this.end) endQueue(queue, this.end);
    return queue;
  }

  /** Settles the promise of the whole body, once it has ended or is too long. */
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
