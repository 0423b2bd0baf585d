import { holdsAnswer, isEmptyReply } from '../core/conversation/empty-reply.js';
import type { ModelEvent } from '../core/conversation/event.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { ProviderFault } from '../core/errors.js';
import { PullSource, type PullReceiver } from '../core/stream/pull-source.js';
import type { EventBatches } from '../providers/prepared-call.js';

/**
 * A reply that ends at once is an answer only where that is explained (`core/conversation/empty-reply.ts`).
 * @param batches the source of the events, closed where they are no answer
 * @throws ProviderFault `malformed-reply`
 */
export async function assertAnswers(
  events: readonly ModelEvent[],
  request: ModelRequest,
  batches?: EventBatches,
): Promise<void> {
  if (!isEmptyReply(events, request)) return;
  await batches?.return();
  throw withoutAnswer(events.at(-1));
}

function withoutAnswer(end: ModelEvent | undefined): ProviderFault {
  const word = end?.type === 'reply-end' ? end.stop.raw : null;
  return new ProviderFault(
    'malformed-reply',
    'The provider ended its reply without an answer.',
    word === null ? {} : { providerCode: word },
  );
}

/**
 * The rest of a reply that was committed by reasoning: it fails at its end where no answer follows and the stop is
 * unexplained.
 */
export class AwaitedAnswer extends PullSource<readonly ModelEvent[]> implements PullReceiver<readonly ModelEvent[]> {
  private receiver!: PullReceiver<readonly ModelEvent[]>;
  private isAwaited = true;
  private fault: ProviderFault | undefined;

  constructor(
    private readonly beginning: readonly ModelEvent[],
    private readonly rest: EventBatches,
    private readonly request: ModelRequest,
  ) {
    super();
  }

  override pull(receiver: PullReceiver<readonly ModelEvent[]>): void {
    this.receiver = receiver;
    if (this.fault) receiver.fail(this.fault);
    else this.rest.pull(this);
  }

  take(batch: readonly ModelEvent[]): void {
    this.isAwaited &&= !batch.some(holdsAnswer);
    const end = batch.at(-1);
    if (!this.isAwaited || end?.type !== 'reply-end' || !isEmptyReply([...this.beginning, end], this.request)) {
      this.receiver.take(batch);
      return;
    }
    this.fault = withoutAnswer(end);
    // The usage is recorded nevertheless.
    if (batch.length > 1) this.receiver.take(batch.slice(0, -1));
    else this.receiver.fail(this.fault);
  }

  end(): void {
    this.receiver.end();
  }

  fail(reason: unknown): void {
    this.receiver.fail(reason);
  }

  override return(): Promise<IteratorResult<readonly ModelEvent[], undefined>> {
    return this.rest.return();
  }
}
