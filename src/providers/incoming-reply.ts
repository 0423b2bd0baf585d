import type { Dispatcher } from 'undici';
import type { CancelSignal } from '../core/cancellation.js';
import { ProviderFault } from '../core/errors.js';
import { ChunkQueue, type ChunkSource } from './chunk-queue.js';
import type { Connection } from './connection.js';
import type { UpstreamResponse } from './transport.js';
import { faultBeforeReply, faultInReply } from './transport-faults.js';

/** What a call needs of its surroundings. */
export interface CallEnds {
  /** The response's head is there. */
  resolve(response: UpstreamResponse): void;
  reject(reason: unknown): void;
  /** The connection is free, or broken. */
  give(connection: Connection, reusable: boolean): void;
}

/**
 * One call under way: hears what undici tells of it, and is what the reader holds of it. The call ends with the provider's last
 * byte, a failure, the signal's abort, or a reader who leaves; the last two close the connection.
 */
export class IncomingReply implements UpstreamResponse, Dispatcher.DispatchHandler, ChunkSource {
  status = 0;
  headers: UpstreamResponse['headers'] = {};
  readonly chunks: ChunkQueue;
  /** Undefined once the provider has no more part in the call: the connection may serve another by then. */
  private connection: Connection | undefined;

  constructor(
    connection: Connection,
    idleTimeoutMs: number | undefined,
    private readonly signal: CancelSignal,
    private readonly ends: CallEnds,
  ) {
    this.connection = connection;
    this.chunks = new ChunkQueue(this, idleTimeoutMs);
    signal.addEventListener('abort', this, { once: true });
  }

  async read(bytesMax: number): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const chunks of this.chunks) {
      for (const chunk of chunks) {
        length += chunk.length;
        if (length > bytesMax) {
          throw new ProviderFault('malformed-reply', `The provider's reply has more than ${bytesMax} bytes.`);
        }
        parts.push(chunk);
      }
    }
    const [only] = parts;
    if (parts.length === 1 && only) return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
    return Buffer.concat(parts, length);
  }

  /** The signal was aborted. */
  handleEvent(): void {
    this.ends.reject(this.signal.reason);
    this.chunks.abort(this.signal.reason);
  }

  // What the body's queue asks for.

  hold(): void {
    this.connection?.hold();
  }

  release(): void {
    this.connection?.release();
  }

  leave(): void {
    this.signal.removeEventListener('abort', this);
    this.connection?.abandon();
  }

  // What undici tells. It wants to be listened to from the start, or it takes the listener for one of its older kind.

  onRequestStart(): void {}

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: UpstreamResponse['headers']): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.ends.resolve(this);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.giveBack(true);
    this.chunks.end();
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.giveBack(false);
    if (this.status === 0) {
      // Does nothing when the signal was aborted first.
      this.ends.reject(faultBeforeReply(error));
      this.chunks.abort(error);
    } else {
      this.chunks.fail(faultInReply(error));
    }
  }

  private giveBack(reusable: boolean): void {
    const connection = this.connection;
    this.connection = undefined;
    if (connection) this.ends.give(connection, reusable);
  }
}
