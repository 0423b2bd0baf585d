import { Observable, type Subscriber } from 'rxjs';
import { toPullSource, type PullSource, type PullReceiver } from '../../../core/stream/pull-source.js';

/** Whether the reader can take more. One per reply. */
export class Pace {
  private paused = false;
  private wake: (() => void) | undefined;

  get isPaused(): boolean {
    return this.paused;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.wake?.();
    this.wake = undefined;
  }

  /** Resolves when the reader takes more. */
  ready(): Promise<void> {
    return this.paused ? new Promise((resolve) => (this.wake = resolve)) : Promise.resolve();
  }
}

/**
 * Emits the result of `read` for each item, as fast as the reader allows: while it is paused the source is not pulled.
 * Unsubscribing closes the source once it is idle; a waiting source must be ended by its own signal.
 * @param read returns undefined for items without output; a parameter and not an operator, because each operator costs
 * an event as much as its write
 */
export function emitPaced<T, Out>(
  source: AsyncIterable<T>,
  pace: Pace,
  read: (item: T) => Out | undefined,
): Observable<Out> {
  return new Observable<Out>((subscriber) => {
    new PacedReceiver(toPullSource(source), pace, read, subscriber).pull();
    return () => pace.resume();
  });
}

class PacedReceiver<T, Out> implements PullReceiver<T> {
  constructor(
    private readonly source: PullSource<T>,
    private readonly pace: Pace,
    private readonly read: (item: T) => Out | undefined,
    private readonly subscriber: Subscriber<Out>,
  ) {}

  /** Stops pulling when the reader has disconnected, or could not use the last item. */
  readonly pull = (): void => {
    if (this.subscriber.closed) this.close();
    else this.source.pull(this);
  };

  take(item: T): void {
    try {
      const out = this.read(item);
      if (out !== undefined) this.subscriber.next(out);
    } catch (error) {
      this.close(error);
      return;
    }
    if (this.pace.isPaused) void this.pace.ready().then(this.pull);
    else this.pull();
  }

  end(): void {
    this.subscriber.complete();
  }

  fail(reason: unknown): void {
    this.subscriber.error(reason);
  }

  /** @param error of the source, emitted once it is closed; absent where there is no subscriber left */
  private close(error?: unknown): void {
    const fail = (reason: unknown): void => this.subscriber.error(error ?? reason);
    void this.source.return().then(() => error !== undefined && fail(error), fail);
  }
}
