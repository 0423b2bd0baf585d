import { Cancellation, type CancelSignal } from '../core/cancellation.js';
import { isCommitting, type ModelEvent } from '../core/conversation/event.js';
import { CallerGone, ProviderFault } from '../core/errors.js';
import type { EventBatches } from '../providers/prepared-call.js';

/** What an attempt is held to. */
export interface AttemptRules {
  /** Longest time until the reply has committed itself; absent: none of its own. */
  readonly firstTimeoutMs?: number;
  /**
   * Asked when the caller has left.
   * @param cut ends the attempt after all
   * @returns whether it runs on unseen
   */
  readonly runsOn: (cut: () => void) => boolean;
}

/**
 * The signal of one attempt: follows the request's, but for a caller who leaves what its provider bills in full. A
 * streamed one has a limit of its own until the reply has committed itself.
 */
export class Attempt {
  /** What came until it committed itself. */
  readonly beginning: ModelEvent[] = [];
  private readonly controller = new Cancellation();
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly runsOn: AttemptRules['runsOn'];
  private hasCommitted = false;
  private readonly cut = (): void => this.controller.abort(this.parent.reason);

  constructor(
    private readonly parent: CancelSignal,
    { firstTimeoutMs, runsOn }: AttemptRules,
  ) {
    this.runsOn = runsOn;
    if (firstTimeoutMs !== undefined) this.timer = setTimeout(this.expire, firstTimeoutMs);
    if (parent.aborted) this.cut();
    else parent.addEventListener('abort', this, { once: true });
  }

  get signal(): CancelSignal {
    return this.controller.signal;
  }

  /** True once the reply belongs to its provider. */
  get isCommitted(): boolean {
    return this.hasCommitted;
  }

  /** The request was aborted. */
  handleEvent(): void {
    if (!(this.parent.reason instanceof CallerGone && this.runsOn(this.cut))) this.cut();
  }

  committed(): void {
    this.hasCommitted = true;
    clearTimeout(this.timer);
  }

  /**
   * Why it failed. A read that was cut short fails with whatever broke it; why it was cut is the reason that counts.
   */
  reasonOf(thrown: unknown): unknown {
    const { aborted, reason } = this.signal;
    return aborted ? reason : thrown;
  }

  settle(): void {
    clearTimeout(this.timer);
    this.parent.removeEventListener('abort', this);
  }

  private readonly expire = (): void => {
    this.controller.abort(new ProviderFault('timed-out', 'The provider did not begin to answer in time.'));
  };
}

/** The beginning of a reply: what it told until an event committed the reply to its provider, that one included. */
export async function untilCommitted(batches: EventBatches, attempt: Attempt): Promise<readonly ModelEvent[]> {
  const { beginning } = attempt;
  for (;;) {
    const next = await batches.next();
    if (next.done) break;
    for (const event of next.value) beginning.push(event);
    if (next.value.some(isCommitting)) break;
  }
  attempt.committed();
  return beginning;
}
