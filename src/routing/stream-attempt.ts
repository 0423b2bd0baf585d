import { Cancellation, type CancelSignal } from '../core/cancellation.js';
import { isTelling, type ModelEvent } from '../core/conversation/event.js';
import { mergeUsage, NO_USAGE, type Usage } from '../core/conversation/usage.js';
import { ProviderFault } from '../core/errors.js';
import type { Secret } from '../core/secret.js';
import { withoutCredential } from '../providers/credential-mask.js';

type Next = IteratorResult<readonly ModelEvent[], void>;

/** The events of one reply, one array for each upstream chunk. Whoever stops reading calls `return`, also at the end. */
export interface EventBatches extends AsyncIterableIterator<readonly ModelEvent[], void, undefined> {
  return(): Promise<Next>;
}

/** The signal of one streamed attempt: follows the request's, and has a limit of its own until the reply is telling. */
export class StreamAttempt {
  private readonly controller = new Cancellation();
  private readonly timer: NodeJS.Timeout;
  private hasTold = false;
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
export async function untilTelling(batches: EventBatches, attempt: StreamAttempt): Promise<BegunReply> {
  const held: ModelEvent[] = [];
  try {
    for (;;) {
      const next = await batches.next();
      if (next.done) break;
      for (const event of next.value) held.push(event);
      if (next.value.some(isTelling)) break;
    }
  } catch (error) {
    throw error instanceof ProviderFault ? withUsage(error, usageOf(held)) : error;
  }
  attempt.told();
  return new BegunReply(held, batches, attempt);
}

/** The last that was told of it. */
export function usageOf(events: readonly ModelEvent[]): Usage | undefined {
  let usage: Usage | undefined;
  for (const event of events) if (event.type === 'usage') usage = mergeUsage(usage ?? NO_USAGE, event.usage);
  return usage;
}

function withUsage(fault: ProviderFault, usage: Usage | undefined): ProviderFault {
  if (!usage) return fault;
  return new ProviderFault(fault.kind, fault.message, { ...fault.detail, usage }, { cause: fault.cause });
}

/**
 * A reply whose beginning is known: that first, then the rest as it comes. A whole reply is all beginning. Leave it by `return`,
 * also at its end.
 */
export class BegunReply implements EventBatches {
  /** What its provider was called with: never to be told again. */
  credential: Secret | undefined;
  /** The body that its provider was sent, which never holds the credential. Absent: nobody wants to see it. */
  sentBody?: string;
  private isBegun = false;

  constructor(
    readonly beginning: readonly ModelEvent[],
    private readonly rest?: EventBatches,
    private readonly attempt?: StreamAttempt,
  ) {}

  next(): Promise<Next> {
    if (this.isBegun) return this.rest ? this.rest.next() : END;
    this.isBegun = true;
    return Promise.resolve({ done: false, value: this.beginning });
  }

  /** A fault of it as it may be told. */
  masked(fault: ProviderFault): ProviderFault {
    return withoutCredential(fault, this.credential);
  }

  return(): Promise<Next> {
    this.attempt?.settle();
    return this.rest ? this.rest.return() : END;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

const END: Promise<Next> = Promise.resolve({ done: true, value: undefined });
