const OVER: IteratorResult<never, undefined> = { done: true, value: undefined };

/**
 * The receiver of a source's answers: exactly one of the three is called for each pull, immediately or later. They do
 * not throw.
 */
export interface Puller<Item> {
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
export abstract class Pulled<Item> implements AsyncIterableIterator<Item, undefined> {
  /** Requests the next item. The answer may come before this returns. */
  abstract pull(puller: Puller<Item>): void;

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

/** The result after the reader has left: no more items. */
export const left = (): Promise<IteratorResult<never, undefined>> => Promise.resolve(OVER);

/** Adapts any source to one that is pulled. */
export function asPulled<Item>(source: AsyncIterable<Item>): Pulled<Item> {
  return source instanceof Pulled ? (source as Pulled<Item>) : new PulledIterator(source[Symbol.asyncIterator]());
}

class PulledIterator<Item> extends Pulled<Item> {
  constructor(private readonly iterator: AsyncIterator<Item>) {
    super();
  }

  override pull(puller: Puller<Item>): void {
    this.iterator.next().then(
      (next) => (next.done ? puller.end() : puller.take(next.value)),
      (reason: unknown) => puller.fail(reason),
    );
  }

  override async return(): Promise<IteratorResult<Item, undefined>> {
    await this.iterator.return?.();
    return left();
  }
}
