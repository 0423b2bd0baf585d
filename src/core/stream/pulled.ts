const OVER: IteratorResult<never, undefined> = { done: true, value: undefined };

/** Whom a source answers: exactly one of the three for each pull, at once or later. They do not throw. */
export interface Puller<Item> {
  take(item: Item): void;
  /** There is nothing more. */
  end(): void;
  fail(reason: unknown): void;
}

/**
 * A source that gives one item for each pull, to one reader, who pulls once at a time. Answered by calls and not by
 * promises: each event of a stream passes several such sources, and a promise in each would cost more than all else
 * that is done with it (docs/performance.md). It can be iterated as well, where that is not asked for every event.
 */
export abstract class Pulled<Item> implements AsyncIterableIterator<Item, undefined> {
  /** Asks for the next item. The answer may come before this returns. */
  abstract pull(puller: Puller<Item>): void;

  /** Nobody reads on: whatever it reads from is closed. */
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

/** What was left: nothing more comes. */
export const left = (): Promise<IteratorResult<never, undefined>> => Promise.resolve(OVER);

/** A source of any kind as one that is pulled. */
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
