import type { ModelEvent } from '../../core/conversation/event.js';
import type { Usage } from '../../core/conversation/usage.js';
import type { GatewayError } from '../../core/errors.js';
import { left, PullSource, type PullReceiver } from '../../core/stream/pull-source.js';
import type { ReplyLog, LogReader } from '../../kept-replies/reply-log.js';
import { LineReader, parseBatch, printBatch } from './event-lines.js';

type Batch = readonly ModelEvent[];

/** Receives reports about the events of a cached reply. */
interface CachedReplyObserver {
  /** Called with each usage report of the provider, without its figures. */
  readonly used: (usage: Usage) => void;
  /** Awaited before the end is given. */
  readonly ended: () => Promise<void>;
  /** Called with the failure of the request that fills the reply. @returns the failure of this one */
  readonly failed: (reason: unknown) => GatewayError;
}

/** The events of a cached reply. Each pull returns one batch of all events that have arrived. */
export class CachedEvents extends PullSource<Batch> implements PullReceiver<Buffer> {
  private readonly lines = new LineReader();
  private receiver!: PullReceiver<Batch>;

  constructor(
    private readonly reader: LogReader,
    private readonly reported: CachedReplyObserver,
  ) {
    super();
  }

  override pull(receiver: PullReceiver<Batch>): void {
    this.receiver = receiver;
    this.reader.pull(this);
  }

  take(piece: Buffer): void {
    const batch = this.lines.read(piece).flatMap(parseBatch);
    for (const event of batch) if (event.type === 'usage') this.reported.used(event.usage);
    // The end of a reply is passed on only after its settlement, because it reports the settled figures to the client.
    if (batch.some(({ type }) => type === 'reply-end')) {
      this.reported.ended().then(
        () => this.receiver.take(batch),
        (reason: unknown) => this.receiver.fail(reason),
      );
    } else if (batch.length > 0) this.receiver.take(batch);
    else this.reader.pull(this);
  }

  end(): void {
    this.receiver.end();
  }

  fail(reason: unknown): void {
    this.receiver.fail(this.reported.failed(reason));
  }

  override async return(): Promise<IteratorResult<Batch, undefined>> {
    await this.reader.return();
    return left();
  }
}

interface Recording {
  readonly log: ReplyLog;
  /** Others read the reply too: its first reader does not delay them. */
  readonly hasOtherReaders: boolean;
  readonly onEnd: (failure?: unknown) => Promise<void>;
}

/**
 * Passes a reply on to its reader, and writes it to a log. While that has readers, it continues without its own. What a
 * slow reader of a shared reply has not taken waits here, as long as the reply is kept, which bounds it.
 */
export class RecordedEvents extends PullSource<Batch> implements PullReceiver<Batch> {
  /** Waits for the next batch. */
  private receiver: PullReceiver<Batch> | undefined;
  private readonly waiting: Batch[] = [];
  private isPulling = false;
  private hasLeft = false;
  /** The source has ended. */
  private isOver = false;
  private last: ((receiver: PullReceiver<Batch>) => void) | undefined;

  constructor(
    private readonly events: PullSource<Batch>,
    private readonly recording: Recording,
  ) {
    super();
  }

  override pull(receiver: PullReceiver<Batch>): void {
    const next = this.waiting.shift();
    if (next) receiver.take(next);
    else if (this.last) this.last(receiver);
    else {
      this.receiver = receiver;
      this.pullEvents();
    }
  }

  take(batch: Batch): void {
    const { log, hasOtherReaders } = this.recording;
    this.isPulling = false;
    if (log.isKept) log.append(printBatch(batch));
    const { receiver } = this;
    this.receiver = undefined;
    if (receiver) receiver.take(batch);
    else if (!this.hasLeft) this.waiting.push(batch);
    if (this.hasLeft || (hasOtherReaders && log.isKept)) this.pullEvents();
  }

  end(): void {
    this.isOver = true;
    // The client that repeats its request at once finds the reply.
    void this.recording.onEnd().then(() => this.finish((receiver) => receiver.end()));
  }

  fail(reason: unknown): void {
    this.isOver = true;
    void this.recording.onEnd(reason);
    this.finish((receiver) => receiver.fail(reason));
  }

  override async return(): Promise<IteratorResult<Batch, undefined>> {
    this.receiver = undefined;
    this.hasLeft = true;
    this.waiting.length = 0;
    if (this.isOver) return left();
    const { log, onEnd } = this.recording;
    if (log.isRead) {
      this.pullEvents();
      return left();
    }
    void onEnd(new Error('The reply was not read to its end.'));
    return this.events.return();
  }

  private pullEvents(): void {
    if (this.isPulling) return;
    this.isPulling = true;
    this.events.pull(this);
  }

  private finish(last: (receiver: PullReceiver<Batch>) => void): void {
    this.last = last;
    const { receiver } = this;
    this.receiver = undefined;
    if (receiver) last(receiver);
  }
}
