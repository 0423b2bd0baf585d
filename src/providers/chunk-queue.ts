import { ProviderFault } from '../core/errors.js';

/** Bytes that may wait for the reader before the source is held. One socket read (64 KiB) may come on top. */
export const WINDOW_BYTES = 64 * 1024;

/** Where a queue's chunks come from. */
export interface ChunkSource {
  /** Gives no more chunks until released; those of the socket read at hand still come. */
  hold(): void;
  /** May push at once. */
  release(): void;
  /** Nobody reads on. Called once, whether the body was read to its end or not. */
  leave(): void;
}

type Pulled = IteratorResult<readonly Uint8Array[], undefined>;

/**
 * A reply's body between the socket, which pushes, and its one reader, who pulls: each pull gives all that came since the last
 * one. One per reply. Chunks that came before a failure are handed out before it, but nothing is after an abort.
 */
export class ChunkQueue implements AsyncIterableIterator<readonly Uint8Array[], undefined> {
  private queue: Uint8Array[] = [];
  private queuedBytes = 0;
  private held = false;
  private left = false;
  private state: 'open' | 'ended' | 'failed' = 'open';
  private failure: unknown;
  private waiting: { resolve(pulled: Pulled): void; reject(reason: unknown): void } | undefined;
  private deliveryDue = false;
  private idleTimer: NodeJS.Timeout | undefined;

  /** @param idleTimeoutMs longest time one pull may wait; absent: for ever */
  constructor(
    private readonly source: ChunkSource,
    private readonly idleTimeoutMs: number | undefined,
  ) {}

  push(chunk: Uint8Array): void {
    if (this.state !== 'open') return;
    this.queue.push(chunk);
    this.queuedBytes += chunk.length;
    if (this.waiting && !this.deliveryDue) {
      // One socket read often holds many chunks, pushed one after the other: a microtask later they are one delivery.
      this.deliveryDue = true;
      queueMicrotask(this.deliver);
    }
    if (this.queuedBytes > WINDOW_BYTES && !this.held) {
      this.held = true;
      this.source.hold();
    }
  }

  /** The body is complete. */
  end(): void {
    if (this.state !== 'open') return;
    this.state = 'ended';
    if (this.waiting && this.queue.length === 0) this.settleWaiting();
  }

  /** The rest of the body will not come: the reader gets what is there, then the reason. */
  fail(reason: unknown): void {
    if (this.state !== 'open') return;
    this.state = 'failed';
    this.failure = reason;
    if (this.waiting && this.queue.length === 0) this.settleWaiting();
  }

  /** Fails at once, even when the body is complete: what was not read yet is dropped. */
  abort(reason: unknown): void {
    if (this.left) return;
    this.queue = [];
    this.state = 'failed';
    this.failure = reason;
    if (this.waiting) this.settleWaiting();
    else this.leave();
  }

  next(): Promise<Pulled> {
    if (this.waiting) return Promise.reject(new Error('A reply has one reader, who pulls once at a time.'));
    if (this.queue.length > 0) return Promise.resolve({ done: false, value: this.take() });
    return new Promise<Pulled>((resolve, reject) => {
      this.waiting = { resolve, reject };
      if (this.state === 'open') this.startIdleTimer();
      else this.settleWaiting();
    });
  }

  return(): Promise<Pulled> {
    this.queue = [];
    this.state = 'ended';
    if (this.waiting) this.settleWaiting();
    else this.leave();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private readonly deliver = (): void => {
    this.deliveryDue = false;
    const waiting = this.waiting;
    if (!waiting || this.queue.length === 0) return;
    this.waiting = undefined;
    waiting.resolve({ done: false, value: this.take() });
  };

  private take(): Uint8Array[] {
    const chunks = this.queue;
    this.queue = [];
    this.queuedBytes = 0;
    if (this.held) {
      this.held = false;
      if (this.state === 'open') this.source.release();
    }
    return chunks;
  }

  /** Answers the waiting pull with how the body ended. */
  private settleWaiting(): void {
    const waiting = this.waiting!;
    this.waiting = undefined;
    this.leave();
    if (this.state === 'failed') waiting.reject(this.failure);
    else waiting.resolve({ done: true, value: undefined });
  }

  private leave(): void {
    if (this.left) return;
    this.left = true;
    clearTimeout(this.idleTimer);
    this.source.leave();
  }

  /** One timer per reply. It is not cleared when a chunk comes: a firing finds nobody waiting, and the next pull rearms it. */
  private startIdleTimer(): void {
    if (this.idleTimer) this.idleTimer.refresh();
    else if (this.idleTimeoutMs !== undefined) this.idleTimer = setTimeout(this.onIdle, this.idleTimeoutMs);
  }

  private readonly onIdle = (): void => {
    if (!this.waiting || this.queue.length > 0) return;
    this.fail(new ProviderFault('timed-out', `The provider sent nothing for ${this.idleTimeoutMs} ms.`));
  };
}
