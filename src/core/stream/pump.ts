import { toPullSource, left, PullSource, type PullReceiver } from './pull-source.js';
import type { StreamStage } from './stream-stage.js';

/**
 * The single loop of a reply: pulls chunks, passes each to the step and yields its outputs, one array per chunk, so
 * that one upstream chunk becomes one write. It pulls only on demand: a slow reader slows the source.
 * Cancellation is the `AbortSignal` the source was opened with. `return()` closes the source as well, once it is idle.
 */
export function pump<In, Out>(
  source: AsyncIterable<readonly In[]>,
  step: StreamStage<In, Out>,
  failures: StepFailures = UNMASKED,
): PullSource<Out[]> {
  return new Pump(toPullSource(source), step, failures);
}

/** Treatment of a step that throws. */
export interface StepFailures {
  /**
   * Whether the outputs of its chunk before the failure are yielded first, for a face that has begun to send the reply.
   */
  keepsPartial(): boolean;
  /** The error that is passed on instead of the thrown one. */
  masked(error: unknown): unknown;
}

const UNMASKED: StepFailures = { keepsPartial: () => true, masked: (error) => error };

class Pump<In, Out> extends PullSource<Out[]> implements PullReceiver<readonly In[]> {
  /** The receiver of the next array. */
  private receiver!: PullReceiver<Out[]>;
  /** The error of the step while outputs of its chunk still had to be yielded. */
  private failure: { readonly error: unknown } | undefined;
  private isOver = false;

  constructor(
    private readonly source: PullSource<readonly In[]>,
    private readonly step: StreamStage<In, Out>,
    private readonly failures: StepFailures,
  ) {
    super();
  }

  override pull(receiver: PullReceiver<Out[]>): void {
    this.receiver = receiver;
    if (this.failure) this.closeAndFail(this.failure.error);
    else if (this.isOver) receiver.end();
    else this.source.pull(this);
  }

  take(chunks: readonly In[]): void {
    const out: Out[] = [];
    try {
      for (const chunk of chunks) this.step.push(chunk, out);
    } catch (thrown) {
      const error = this.failures.masked(thrown);
      if (out.length === 0 || !this.failures.keepsPartial()) {
        this.closeAndFail(error);
        return;
      }
      this.failure = { error };
    }
    // A chunk that completes no event produces no output.
    if (out.length > 0) this.receiver.take(out);
    else this.source.pull(this);
  }

  end(): void {
    this.isOver = true;
    const out: Out[] = [];
    try {
      this.step.end(out);
    } catch (error) {
      this.receiver.fail(this.failures.masked(error));
      return;
    }
    if (out.length > 0) this.receiver.take(out);
    else this.receiver.end();
  }

  fail(reason: unknown): void {
    this.receiver.fail(reason);
  }

  override async return(): Promise<IteratorResult<Out[], undefined>> {
    if (!this.isOver) {
      this.isOver = true;
      this.failure = undefined;
      await this.source.return();
    }
    return left();
  }

  private closeAndFail(error: unknown): void {
    const { receiver } = this;
    this.failure = undefined;
    this.return().then(
      () => receiver.fail(error),
      (reason: unknown) => receiver.fail(reason),
    );
  }
}
