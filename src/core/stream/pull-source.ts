const OVER: IteratorResult<never, undefined> = { done: true, value: undefined };

/**
 * The receiver of a source's answers: exactly one of the three is called for each pull, immediately or later. They do
 * not throw.
 */
export interface PullReceiver<Item> {
  take(item: Item): void;
  /** There are no more items. */
  end(): void;
  fail(reason: unknown): void;
}

/**
 * A source that gives one item for each pull, to one reader with one pull at a time. It answers by calls instead of
 * promises: each event of a stream passes several such sources, and a promise in each would cost more than all other
 * work on it (docs/contribute/performance.md). It can also be iterated, where that is not needed for every event.
 */
export abstract class PullSource<Item> implements AsyncIterableIterator<Item, undefined> {
  /** Requests the next item. The answer may come before this returns. */
  abstract pull(receiver: PullReceiver<Item>): void;

  /** The reader stops: closes the underlying source. */
  abstract return(): Promise<IteratorResult<Item, undefined>>;

  next(): Promise<IteratorResult<Item, undefined>> {
    return new Promise((resolve, reject) => {
      this.pull({ take: (value) => resolve({ done: false, value }), end: () => resolve(OVER), fail: reject });
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** The result after the reader has stopped: no more items. */
export const left = (): Promise<IteratorResult<never, undefined>> => Promise.resolve(OVER);

/** Adapts any source to one that is pulled. */
export function toPullSource<Item>(source: AsyncIterable<Item>): PullSource<Item> {
  return source instanceof PullSource
    ? (source as PullSource<Item>)
    : new IteratorPullSource(source[Symbol.asyncIterator]());
}

class IteratorPullSource<Item> extends PullSource<Item> {
  constructor(private readonly iterator: AsyncIterator<Item>) {
    super();
  }

  override pull(receiver: PullReceiver<Item>): void {
    this.iterator.next().then(
      (next) => (next.done ? receiver.end() : receiver.take(next.value)),
      (reason: unknown) => receiver.fail(reason),
    );
  }

  override async return(): Promise<IteratorResult<Item, undefined>> {
    await this.iterator.return?.();
    return left();
  }
}
