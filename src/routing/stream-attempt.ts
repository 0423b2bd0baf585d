import { Cancellation, type CancelSignal } from '../core/cancellation.js';
import { isCommitting, type ModelEvent } from '../core/conversation/event.js';
import { mergeUsage, NO_USAGE, type Usage } from '../core/conversation/usage.js';
import { ProviderFault } from '../core/errors.js';
import type { EventBatches } from '../providers/prepared-call.js';

/**
 * The signal of one streamed attempt: follows the request's, and has a limit of its own until the
 * reply has committed itself.
 */
export class StreamAttempt {
  /** What came until it committed itself. */
  readonly beginning: ModelEvent[] = [];
  private readonly controller = new Cancellation();
  private readonly timer: NodeJS.Timeout;
  private hasCommitted = false;
  private readonly follow = (): void => this.controller.abort(this.parent.reason);

  constructor(
    private readonly parent: CancelSignal,
    firstTimeoutMs: number,
  ) {
    this.timer = setTimeout(() => {
      this.controller.abort(new ProviderFault('timed-out', 'The provider did not begin to answer in time.'));
    }, firstTimeoutMs);
    if (parent.aborted) this.follow();
    else parent.addEventListener('abort', this.follow, { once: true });
  }

  get signal(): CancelSignal {
    return this.controller.signal;
  }

  /** True once the reply belongs to its provider. */
  get isCommitted(): boolean {
    return this.hasCommitted;
  }

  committed(): void {
    this.hasCommitted = true;
    clearTimeout(this.timer);
  }

  /**
   * Why it failed, with the usage that it told before. A read that was cut short fails with whatever broke it; why it
   * was cut is the reason that counts.
   */
  reasonOf(thrown: unknown): unknown {
    const { aborted, reason } = this.signal;
    const why = aborted ? reason : thrown;
    return why instanceof ProviderFault ? withUsage(why, usageOf(this.beginning)) : why;
  }

  settle(): void {
    clearTimeout(this.timer);
    this.parent.removeEventListener('abort', this.follow);
  }
}

/** The beginning of a reply: what it told until an event committed the reply to its provider, that one included. */
export async function untilCommitted(batches: EventBatches, attempt: StreamAttempt): Promise<readonly ModelEvent[]> {
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

/** The last that was told of it. */
function usageOf(events: readonly ModelEvent[]): Usage | undefined {
  let usage: Usage | undefined;
  for (const event of events) if (event.type === 'usage') usage = mergeUsage(usage ?? NO_USAGE, event.usage);
  return usage;
}

function withUsage(fault: ProviderFault, usage: Usage | undefined): ProviderFault {
  if (!usage) return fault;
  return new ProviderFault(fault.kind, fault.message, { ...fault.detail, usage }, { cause: fault.cause });
}
