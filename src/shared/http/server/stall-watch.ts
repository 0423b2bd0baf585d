import type { ServerResponse } from 'node:http';

/** Checks per limit: a stall is noticed at most an eighth late. */
const LOOKS_PER_LIMIT = 8;

/** Bytes of the last write that libuv still holds; Node offers it on the handle only. */
interface WithHandle {
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/**
 * Closes a client that takes no byte for the limit. Watches only while the server waits for it: between `start` and
 * `stop`. Node's own socket time-out would suffice, except that its first round counts bytes the kernel buffered as
 * taken by the client.
 */
export class StallWatch {
  private timer: NodeJS.Timeout | undefined;
  private queued = -1;
  private buffered = -1;
  private quietLooks = 0;

  constructor(
    private readonly response: ServerResponse,
    private readonly stallMs: number,
  ) {}

  start(): void {
    if (this.timer || this.response.writableFinished) return;
    this.look();
    this.quietLooks = 0;
    this.timer = setInterval(() => this.look(), Math.ceil(this.stallMs / LOOKS_PER_LIMIT));
    this.timer.unref();
    this.response.once('finish', this.stop).once('close', this.stop);
  }

  readonly stop = (): void => {
    clearInterval(this.timer);
    this.timer = undefined;
    this.response.off('finish', this.stop).off('close', this.stop);
  };

  private look(): void {
    const { socket } = this.response;
    const queued = (socket as WithHandle | null)?._handle?.writeQueueSize ?? 0;
    const buffered = socket?.writableLength ?? 0;
    if (queued !== this.queued || buffered !== this.buffered) this.quietLooks = 0;
    else if (++this.quietLooks >= LOOKS_PER_LIMIT) this.response.destroy();
    this.queued = queued;
    this.buffered = buffered;
  }
}
