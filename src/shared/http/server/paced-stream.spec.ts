// Items are emitted in order and completely, no faster than the reader allows, and the source is closed with the last
// reader. A source that counts its pulls, a pace held by hand.
import { emitPaced, Pace } from './paced-stream.js';

/** Emits the numbers from 0, and records how far it was pulled and whether it was closed. */
class Numbers implements AsyncIterableIterator<number> {
  pulls = 0;
  isClosed = false;

  constructor(
    private readonly count = Infinity,
    private readonly failure?: Error,
  ) {}

  next(): Promise<IteratorResult<number, undefined>> {
    const value = this.pulls++;
    if (value < this.count) return Promise.resolve({ done: false, value });
    return this.failure ? Promise.reject(this.failure) : Promise.resolve({ done: true, value: undefined });
  }

  return(): Promise<IteratorResult<number, undefined>> {
    this.isClosed = true;
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

const asItIs = <T>(item: T): T => item;

/** Resolves when every promise that can proceed has done so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Pace', () => {
  it('is ready at once while it is not held', async () => {
    const pace = new Pace();
    expect(pace.isPaused).toBe(false);
    await pace.ready();
  });

  it('is ready again once it is released, however often it was held', async () => {
    const pace = new Pace();
    pace.pause();
    pace.pause();
    let isReady = false;
    void pace.ready().then(() => (isReady = true));
    await settle();
    expect([pace.isPaused, isReady]).toEqual([true, false]);
    pace.resume();
    await settle();
    expect([pace.isPaused, isReady]).toEqual([false, true]);
  });

  it('may be released when it is not held', () => {
    const pace = new Pace();
    pace.resume();
    expect(pace.isPaused).toBe(false);
  });
});

describe('observe', () => {
  it('emits everything in order, then completes', async () => {
    const seen: unknown[] = [];
    emitPaced(new Numbers(3), new Pace(), asItIs).subscribe({
      next: (value) => seen.push(value),
      complete: () => seen.push('complete'),
    });
    await settle();
    expect(seen).toEqual([0, 1, 2, 'complete']);
  });

  it('emits the result of reading an item, and nothing where there is none', async () => {
    const seen: unknown[] = [];
    emitPaced(new Numbers(4), new Pace(), (value) => (value % 2 === 0 ? `${value}` : undefined)).subscribe((text) =>
      seen.push(text),
    );
    await settle();
    expect(seen).toEqual(['0', '2']);
  });

  it('emits items before a failure, then the failure', async () => {
    const seen: unknown[] = [];
    const failure = new Error('broken');
    emitPaced(new Numbers(2, failure), new Pace(), asItIs).subscribe({
      next: (value) => seen.push(value),
      error: (error) => seen.push(error),
    });
    await settle();
    expect(seen).toEqual([0, 1, failure]);
  });

  it('does not pull while the pace is held, and continues where it stopped', async () => {
    const source = new Numbers();
    const pace = new Pace();
    const seen: number[] = [];
    const subscription = emitPaced(source, pace, asItIs).subscribe((value) => {
      seen.push(value);
      if (value % 10 === 9) pace.pause();
    });
    await settle();
    expect([seen.length, source.pulls]).toEqual([10, 10]);
    pace.resume();
    await settle();
    expect([seen.length, source.pulls]).toEqual([20, 20]);
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index));
    subscription.unsubscribe();
  });

  it('closes the source when its reader leaves while the pace is held', async () => {
    const source = new Numbers();
    const pace = new Pace();
    const subscription = emitPaced(source, pace, asItIs).subscribe(() => pace.pause());
    await settle();
    subscription.unsubscribe();
    await settle();
    expect([source.pulls, source.isClosed, pace.isPaused]).toEqual([1, true, false]);
  });

  it('closes the source when its reader leaves at an item', async () => {
    const source = new Numbers();
    const subscription = emitPaced(source, new Pace(), asItIs).subscribe((value) => {
      if (value === 2) subscription.unsubscribe();
    });
    await settle();
    expect([source.pulls, source.isClosed]).toEqual([3, true]);
  });

  it('closes the source, without another pull, when an item cannot be used', async () => {
    const source = new Numbers();
    const seen: unknown[] = [];
    const failure = new Error('cannot be printed');
    emitPaced(source, new Pace(), (value) => {
      if (value === 2) throw failure;
      return value;
    }).subscribe({ next: (value) => seen.push(value), error: (error) => seen.push(error) });
    await settle();
    expect(seen).toEqual([0, 1, failure]);
    expect([source.pulls, source.isClosed]).toEqual([3, true]);
  });
});
