import { asPulled, left, Pulled, type Puller } from './pulled.js';
import type { Step } from './step.js';

/**
 * The single loop of a reply: pulls chunks, passes each to the step and yields its outputs, one array per chunk, so
 * that one upstream chunk becomes one write. It pulls only on demand: a slow reader slows the source.
 * Cancellation is the `AbortSignal` the source was opened with. `return()` closes the source as well, once it is idle.
 */
export function pump<In, Out>(
  source: AsyncIterable<readonly In[]>,
  step: Step<In, Out>,
  failures: StepFailures = UNMASKED,
): Pulled<Out[]> {
  return new Pump(asPulled(source), step, failures);
}

/** How a step that throws is handled. */
export interface StepFailures {
  /**
   * Whether the outputs of its chunk before the failure are yielded first, for a face that has begun to send the reply.
   */
  keepsPartial(): boolean;
  /** The error that is passed on in place of the thrown one. */
  masked(error: unknown): unknown;
}

const UNMASKED: StepFailures = { keepsPartial: () => true, masked: (error) => error };

class Pump<In, Out> extends Pulled<Out[]> implements Puller<readonly In[]> {
  /** The receiver of the next array. */
  private puller!: Puller<Out[]>;
  /** The error of the step while outputs of its chunk still had to be yielded. */
  private failure: { readonly error: unknown } | undefined;
  private isOver = false;

  constructor(
    private readonly source: Pulled<readonly In[]>,
    private readonly step: Step<In, Out>,
    private readonly failures: StepFailures,
  ) {
    super();
  }

  override pull(puller: Puller<Out[]>): void {
    this.puller = puller;
    if (this.failure) this.closeAndFail(this.failure.error);
    else if (this.isOver) puller.end();
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
    // A chunk without a complete event is no reason to answer.
    if (out.length > 0) this.puller.take(out);
    else this.source.pull(this);
  }

  end(): void {
    this.isOver = true;
    const out: Out[] = [];
    try {
      this.step.end(out);
    } catch (error) {
      this.puller.fail(this.failures.masked(error));
      return;
    }
    if (out.length > 0) this.puller.take(out);
    else this.puller.end();
  }

  fail(reason: unknown): void {
    this.puller.fail(reason);
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
    const { puller } = this;
    this.failure = undefined;
    this.return().then(
      () => puller.fail(error),
      (reason: unknown) => puller.fail(reason),
    );
  }
}
