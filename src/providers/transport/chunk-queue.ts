import { ProviderFault } from '../../core/errors.js';
import { left, PullSource, type PullReceiver } from '../../core/stream/pull-source.js';
import { elapsedMs } from '../../core/time.js';

/** Bytes that may wait for the reader before the source is paused. One socket read (64 KiB) may be added to them. */
export const WINDOW_BYTES = 64 * 1024;

/** The source of a queue's chunks. */
export interface ChunkSource {
  /** Gives no more chunks until resumed, except those of the current socket read. */
  pause(): void;
  /** May push at once. */
  resume(): void;
  /** The reader has stopped. Called once, whether the body was read to its end or not. */
  leave(): void;
}

const NOW = Promise.resolve();

/** Never added to. */
const NO_CHUNKS: Uint8Array[] = [];

type Chunks = readonly Uint8Array[];

/**
 * A reply's body between the socket, which pushes, and its one reader, which pulls. Each pull returns all chunks that
 * arrived since the last one. One per reply. Chunks that arrived before a failure are delivered before it; after an
 * abort nothing is delivered.
 */
export class ChunkQueue extends PullSource<Chunks> {
  private queue: Uint8Array[] = NO_CHUNKS;
  private queuedBytes = 0;
  private isSourcePaused = false;
  private isLeft = false;
  private state: 'open' | 'ended' | 'failed' = 'open';
  private failure: unknown;
  private waiting: PullReceiver<Chunks> | undefined;
  private deliveryDue = false;
  private idleTimer: NodeJS.Timeout | undefined;
  /** When the waiting pull began, by `elapsedMs`. */
  private pulledAt = 0;

  /** @param idleTimeoutMs longest time one pull may wait; absent: no limit */
  constructor(
    private readonly source: ChunkSource,
    private readonly idleTimeoutMs: number | undefined,
  ) {
    super();
  }

  push(chunk: Uint8Array): void {
    if (this.state !== 'open') return;
    // Most chunks come alone, and an array literal of one element has no spare capacity.
    if (this.queue.length === 0) this.queue = [chunk];
    else this.queue.push(chunk);
    this.queuedBytes += chunk.length;
    if (this.waiting) this.deliverSoon();
    if (this.queuedBytes > WINDOW_BYTES && !this.isSourcePaused) {
      this.isSourcePaused = true;
      this.source.pause();
    }
  }

  /** The body is complete. */
  end(): void {
    if (this.state !== 'open') return;
    this.state = 'ended';
    // A reader that has all it needs may never pull again, so no later pull would clear the timer.
    clearTimeout(this.idleTimer);
    if (this.waiting && this.queue.length === 0) this.settleWaiting();
  }

  /** The rest of the body will not arrive: the reader gets what is queued, then the reason. */
  fail(reason: unknown): void {
    if (this.state !== 'open') return;
    this.state = 'failed';
    this.failure = reason;
    clearTimeout(this.idleTimer);
    if (this.waiting && this.queue.length === 0) this.settleWaiting();
  }

  /** Fails at once, even when the body is complete: unread chunks are dropped. */
  abort(reason: unknown): void {
    if (this.isLeft) return;
    this.queue = NO_CHUNKS;
    this.state = 'failed';
    this.failure = reason;
    if (this.waiting) this.settleWaiting();
    else this.leave();
  }

  override pull(receiver: PullReceiver<Chunks>): void {
    if (this.waiting) {
      receiver.fail(new Error('A reply has one reader, who pulls once at a time.'));
      return;
    }
    this.waiting = receiver;
    // Deferred: a source that pushes synchronously on resume would otherwise be read on from within this call.
    if (this.queue.length > 0) this.deliverSoon();
    else if (this.state === 'open') this.startIdleTimer();
    else this.settleWaiting();
  }

  override return(): Promise<IteratorResult<Chunks, undefined>> {
    this.queue = NO_CHUNKS;
    this.state = 'ended';
    if (this.waiting) this.settleWaiting();
    else this.leave();
    return left();
  }

  /** One socket read often holds many chunks, pushed one after the other. Delivery a microtask later joins them. */
  private deliverSoon(): void {
    if (this.deliveryDue) return;
    this.deliveryDue = true;
    // Like `queueMicrotask`, without the asynchronous resource that Node makes for each call.
    void NOW.then(this.deliver);
  }

  private readonly deliver = (): void => {
    this.deliveryDue = false;
    const waiting = this.waiting;
    if (!waiting || this.queue.length === 0) return;
    this.waiting = undefined;
    waiting.take(this.take());
  };

  private take(): Uint8Array[] {
    const chunks = this.queue;
    this.queue = NO_CHUNKS;
    this.queuedBytes = 0;
    if (this.isSourcePaused) {
      this.isSourcePaused = false;
      if (this.state === 'open') this.source.resume();
    }
    return chunks;
  }

  /** Settles the waiting pull with the end of the body. */
  private settleWaiting(): void {
    const { state, failure } = this;
    const waiting = this.waiting!;
    this.waiting = undefined;
    this.leave();
    // Deferred, so that it does not run inside the code that ended the body, such as undici's parser.
    void NOW.then(() => (state === 'failed' ? waiting.fail(failure) : waiting.end()));
  }

  private leave(): void {
    if (this.isLeft) return;
    this.isLeft = true;
    clearTimeout(this.idleTimer);
    this.source.leave();
  }

  /**
   * One timer per reply, which is not restarted for each chunk. If it fires early for the current pull, it waits for
   * the rest of that pull's time.
   */
  private startIdleTimer(): void {
    if (this.idleTimeoutMs === undefined) return;
    this.pulledAt = elapsedMs();
    this.idleTimer ??= setTimeout(this.onIdle, this.idleTimeoutMs);
  }

  private readonly onIdle = (): void => {
    this.idleTimer = undefined;
    // The next pull starts it again.
    if (!this.waiting || this.queue.length > 0) return;
    const leftMs = this.pulledAt + this.idleTimeoutMs! - elapsedMs();
    if (leftMs > 0) this.idleTimer = setTimeout(this.onIdle, leftMs);
    else
      this.fail(
        new ProviderFault('timed-out', `The provider sent nothing for ${this.idleTimeoutMs} ms.`, { isCut: true }),
      );
  };
}
