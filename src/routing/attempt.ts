import { Cancellation, type CancelSignal } from '../core/cancellation.js';
import { isCommitting, type ModelEvent } from '../core/conversation/event.js';
import { CallerGone, ProviderFault } from '../core/errors.js';
import type { Generation } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import type { EventBatches } from '../providers/prepared-call.js';
import type { UnseenCalls } from './unseen-calls.js';

/**
 * The signal of one attempt: follows the request's, but for a caller who leaves what its provider bills in full. A
 * streamed one has a limit of its own until the reply has committed itself.
 */
export class Attempt extends Cancellation {
  /** What came until it committed itself. */
  beginning: readonly ModelEvent[] = NO_EVENTS;
  /** True once the reply belongs to its provider. */
  isCommitted = false;
  private readonly timer: NodeJS.Timeout | undefined;

  /** @param firstTimeoutMs longest time until the reply has committed itself; undefined: none of its own */
  constructor(
    private readonly parent: CancelSignal,
    private readonly unseen: UnseenCalls,
    private readonly generation: Generation,
    private readonly call: ProviderCall,
    firstTimeoutMs: number | undefined,
  ) {
    super();
    if (firstTimeoutMs !== undefined) this.timer = setTimeout(expire, firstTimeoutMs, this);
    if (parent.aborted) this.abort(parent.reason);
    else parent.addEventListener('abort', this, { once: true });
  }

  /** The request was aborted. */
  handleEvent(): void {
    const { reason } = this.parent;
    const cut = (): void => this.abort(reason);
    if (!(reason instanceof CallerGone && this.unseen.enter(this.generation, this.call, cut))) cut();
  }

  committed(): void {
    this.isCommitted = true;
    clearTimeout(this.timer);
  }

  /**
   * Why it failed. A read that was cut short fails with whatever broke it; why it was cut is the reason that counts.
   */
  reasonOf(thrown: unknown): unknown {
    return this.aborted ? this.reason : thrown;
  }

  settle(): void {
    if (this.timer) clearTimeout(this.timer);
    this.parent.removeEventListener('abort', this);
  }
}

const NO_EVENTS: readonly never[] = [];

const expire = (attempt: Attempt): void => {
  attempt.abort(new ProviderFault('timed-out', 'The provider did not begin to answer in time.'));
};

/** The beginning of a reply: what it told until an event committed the reply to its provider, that one included. */
export async function untilCommitted(batches: EventBatches, attempt: Attempt): Promise<readonly ModelEvent[]> {
  const beginning: ModelEvent[] = [];
  attempt.beginning = beginning;
  for (;;) {
    const next = await batches.next();
    if (next.done) break;
    for (const event of next.value) beginning.push(event);
    if (next.value.some(isCommitting)) break;
  }
  attempt.committed();
  return beginning;
}
