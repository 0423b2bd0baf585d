import type { ErrorDetail } from '../core/errors.js';
import type { CachedAnswer } from '../core/generation/cached-answer.js';
import type { JsonObject } from '../core/json/json.js';
import { left, PullSource, type PullReceiver } from '../core/stream/pull-source.js';

// The ends of a reply (states of the row in `kept_replies`; a row that is removed lets the next request run):
//
// | end       | cause                                              | row     | a repetition gets      |
// |-----------|----------------------------------------------------|---------|------------------------|
// | complete  | all of it is written                               | kept    | the reply              |
// | failed    | it failed before its head, after a charge or left  | dropped | 409 not kept           |
// | withdrawn | it failed before its head, and nothing was charged | removed | a new run              |
// | dropped   | too large, or must not be kept; it may continue    | dropped | 409 not kept           |
// | abandoned | dropped, and has no reader: it is aborted          | dropped | 409 not kept           |
// | lost      | its process died                                   | lost    | 409 lost               |

/** Limit of a reply that is kept, in bytes. */
export const KEPT_BYTES_MAX = 1024 * 1024;
/** Bytes that the reader of a reply that is not kept may lag behind; beyond it the reply waits for the reader. */
const WINDOW_BYTES = 256 * 1024;

/** The beginning of a reply, stored with it. */
export interface ReplyHead {
  readonly isStream: boolean;
  /** Lines of the warning header. */
  readonly warnings: readonly string[];
  /** Response headers besides those of every reply; absent: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Who answered; only for a reply of the response cache. */
  readonly answer?: CachedAnswer;
  /** The end of a stream whose replica died; absent: it is no stream. */
  readonly lost?: string;
  /** The end of a stream for a reader that cannot get its rest. */
  readonly notKept?: string;
}

/** How the writing of a reply ended. */
export type LogEnd =
  | { readonly kind: 'complete' }
  /** There is no reply, or its rest cannot be read here. */
  | {
      readonly kind: 'failed';
      readonly error: unknown;
      readonly extras?: JsonObject | undefined;
      readonly metadata?: ErrorDetail['metadata'] | undefined;
      /** The error as the end of a stream that has begun; undefined: the stream breaks off. */
      readonly inBand?: () => string | undefined;
    }
  /** The request was refused on another replica: requests that waited for it run. */
  | { readonly kind: 'withdrawn' };

/**
 * The bytes of one reply while they are written, for any number of readers, each at its own pace. While the reply is
 * kept, all of it stays in memory and readers do not delay each other. One that is not kept (it became too large, or
 * must not be kept) is written as fast as its first reader reads; only what that reader has not read stays in memory.
 */
export class ReplyLog {
  generationId: string | undefined;
  head: ReplyHead | undefined;
  end: LogEnd | undefined;
  /** Called when the reply is not kept and has no reader any more. */
  onAbandoned: (() => void) | undefined;
  /** Called when the last reader disconnects before the end of the reply. */
  onUnread: (() => void) | undefined;
  /** Called with each change of its bytes in memory. */
  onResized: ((bytes: number) => void) | undefined;
  private readonly parts: (Buffer | undefined)[] = [];
  private readonly readers = new Set<LogReader>();
  private kept: boolean;
  /** Bytes of all parts in memory. */
  private bytes = 0;
  /** Index of the first part in memory. */
  private first = 0;
  private wakeWriter: (() => void) | undefined;
  private wakeWaiting: (() => void)[] = [];

  constructor({ isKept }: { readonly isKept: boolean }) {
    this.kept = isKept;
  }

  get isKept(): boolean {
    return this.kept;
  }

  /** Bytes in memory. */
  get size(): number {
    return this.bytes;
  }

  /** Whether it has readers now. */
  get isRead(): boolean {
    return this.readers.size > 0;
  }

  /** The number of parts that were written. */
  get count(): number {
    return this.parts.length;
  }

  open(head: ReplyHead): void {
    this.head = head;
    this.wake();
  }

  append(text: string | Uint8Array): void {
    const part = typeof text === 'string' ? Buffer.from(text) : Buffer.from(text.buffer, text.byteOffset, text.length);
    if (part.length === 0) return;
    this.parts.push(part);
    this.resize(part.length);
    if (this.kept && this.bytes > KEPT_BYTES_MAX) this.drop();
    this.wake();
    this.release();
  }

  /** Only the first end counts. */
  finish(end: LogEnd): void {
    if (this.end) return;
    this.end = end;
    this.wake();
  }

  /** Stops keeping the reply. Without a reader it is abandoned. */
  drop(): void {
    if (!this.kept) return;
    this.kept = false;
    this.release();
    this.abandonUnread();
  }

  /** Resolves when there is a head or an end. */
  begun(): Promise<void> {
    return this.until(() => this.head !== undefined || this.end !== undefined);
  }

  ended(): Promise<void> {
    return this.until(() => this.end !== undefined);
  }

  /** Resolves when the writer may continue; undefined: at once. */
  whenWritable(): Promise<void> | undefined {
    if (this.kept || this.bytes <= WINDOW_BYTES) return undefined;
    return new Promise((resolve) => (this.wakeWriter = resolve));
  }

  /** All parts from this one on. @throws RangeError when they are no longer in memory */
  partsFrom(index: number): readonly Buffer[] {
    if (index < this.first) throw new RangeError('The parts are no longer in memory.');
    return this.parts.slice(index) as Buffer[];
  }

  /** A new reader from the first part on; undefined: its beginning is no longer in memory. */
  reader(): LogReader | undefined {
    if (this.first > 0) return undefined;
    const reader = new LogReader(this, () => this.leave(reader));
    this.readers.add(reader);
    return reader;
  }

  private leave(reader: LogReader): void {
    this.readers.delete(reader);
    this.release();
    this.abandonUnread();
    if (this.readers.size === 0 && !this.end) this.onUnread?.();
  }

  private abandonUnread(): void {
    if (!this.kept && this.readers.size === 0 && !this.end) this.onAbandoned?.();
  }

  private resize(bytes: number): void {
    this.bytes += bytes;
    this.onResized?.(bytes);
  }

  /** @internal of its readers: what they have taken may be released. */
  release(): void {
    if (this.kept) return;
    // The first reader sets the pace; others that fall behind it are dropped.
    const [leader] = this.readers;
    const until = leader?.at ?? this.parts.length;
    for (; this.first < until; this.first++) {
      this.resize(-this.parts[this.first]!.length);
      this.parts[this.first] = undefined;
    }
    if (this.bytes > WINDOW_BYTES) return;
    this.wakeWriter?.();
    this.wakeWriter = undefined;
  }

  private async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise<void>((resolve) => this.wakeWaiting.push(resolve));
  }

  private wake(): void {
    for (const reader of this.readers) reader.wake();
    const { wakeWaiting } = this;
    this.wakeWaiting = [];
    for (const resolve of wakeWaiting) resolve();
  }
}

/** Thrown to a reader of a reply that is not kept, when it has fallen behind its first reader. */
export class FellBehind extends Error {
  override readonly name = 'FellBehind';

  constructor() {
    super('The reader is too far behind a reply that is not kept.');
  }
}

/** One reader of a log. Gives all that was written since its last pull in one piece. */
export class LogReader extends PullSource<Buffer> {
  /** Index of the next part. */
  at = 0;
  private receiver: PullReceiver<Buffer> | undefined;

  constructor(
    private readonly log: ReplyLog,
    private readonly leave: () => void,
  ) {
    super();
  }

  override pull(receiver: PullReceiver<Buffer>): void {
    this.receiver = receiver;
    this.wake();
  }

  override return(): Promise<IteratorResult<Buffer, undefined>> {
    this.receiver = undefined;
    this.leave();
    return left();
  }

  /** @internal of its log: there is more, or the end. */
  wake(): void {
    const { receiver, log } = this;
    if (!receiver) return;
    if (this.at < log.count) {
      this.receiver = undefined;
      let parts: readonly Buffer[];
      try {
        parts = log.partsFrom(this.at);
      } catch {
        this.leave();
        receiver.fail(new FellBehind());
        return;
      }
      this.at = log.count;
      receiver.take(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
      log.release();
      return;
    }
    if (!log.end) return;
    this.receiver = undefined;
    this.leave();
    if (log.end.kind === 'failed') receiver.fail(log.end.error);
    else receiver.end();
  }
}
