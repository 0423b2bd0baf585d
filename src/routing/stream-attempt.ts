import { isTelling, type ModelEvent } from '../core/conversation/event.js';
import { ProviderFault } from '../core/errors.js';

/** The events of one reply, one array for each upstream chunk. Whoever stops reading calls `return`, also at the end. */
export interface EventBatches extends AsyncIterableIterator<readonly ModelEvent[], void, undefined> {
  return(): Promise<IteratorResult<readonly ModelEvent[], void>>;
}

/** The signal of one streamed attempt: follows the request's, and has a limit of its own until the reply is telling. */
export class StreamAttempt {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private hasTold = false;
  private readonly follow = (): void => this.controller.abort(this.parent.reason);

  constructor(
    private readonly parent: AbortSignal,
    firstTimeoutMs: number,
  ) {
    this.timer = setTimeout(() => {
      this.controller.abort(new ProviderFault('timed-out', 'The provider did not begin to answer in time.'));
    }, firstTimeoutMs);
    if (parent.aborted) this.follow();
    else parent.addEventListener('abort', this.follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** True once the reply belongs to its provider. */
  get isTold(): boolean {
    return this.hasTold;
  }

  told(): void {
    this.hasTold = true;
    clearTimeout(this.timer);
  }

  settle(): void {
    clearTimeout(this.timer);
    this.parent.removeEventListener('abort', this.follow);
  }
}

/** Holds the beginning of a reply back until an event commits the reply to its provider. */
export async function untilTelling(batches: EventBatches, attempt: StreamAttempt): Promise<EventBatches> {
  const held: ModelEvent[] = [];
  for (;;) {
    const next = await batches.next();
    if (next.done) break;
    for (const event of next.value) held.push(event);
    if (next.value.some(isTelling)) break;
  }
  attempt.told();
  return new HeldReply(held, batches, attempt);
}

/** A reply whose beginning was held back: that first, then the rest as it comes. Leave it by `return`, also at its end. */
class HeldReply implements EventBatches {
  constructor(
    private held: readonly ModelEvent[] | undefined,
    private readonly rest: EventBatches,
    private readonly attempt: StreamAttempt,
  ) {}

  next(): Promise<IteratorResult<readonly ModelEvent[], void>> {
    if (!this.held) return this.rest.next();
    const value = this.held;
    this.held = undefined;
    return Promise.resolve({ done: false, value });
  }

  return(): Promise<IteratorResult<readonly ModelEvent[], void>> {
    this.attempt.settle();
    return this.rest.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
