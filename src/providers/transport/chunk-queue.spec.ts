/**
 * Goal: the queue delivers every byte once and in order, pauses its source when the reader is behind, and ends as its
 * source does. Method: a source that records its calls; hand-driven timers; one property over any order of pushes and
 * pulls.
 */
import fc from 'fast-check';
import { ChunkQueue, WINDOW_BYTES, type ChunkSource } from './chunk-queue.js';

class RecordingSource implements ChunkSource {
  readonly calls: string[] = [];
  onRelease: () => void = () => undefined;
  pause(): void {
    this.calls.push('hold');
  }
  resume(): void {
    this.calls.push('release');
    this.onRelease();
  }
  leave(): void {
    this.calls.push('leave');
  }
}

const bytes = (length: number, fill = 1): Uint8Array => new Uint8Array(length).fill(fill);
const lengths = ({ value }: IteratorResult<readonly Uint8Array[], undefined>): number[] | undefined =>
  value?.map(({ length }) => length);

function setUp(idleTimeoutMs?: number) {
  const source = new RecordingSource();
  return { source, queue: new ChunkQueue(source, idleTimeoutMs) };
}

describe('ChunkQueue', () => {
  it('gives what came before the pull at once, and what comes in one turn together', async () => {
    const { queue } = setUp();
    queue.push(bytes(1));
    queue.push(bytes(2));
    expect(lengths(await queue.next())).toEqual([1, 2]);
    const pull = queue.next();
    queue.push(bytes(3));
    queue.push(bytes(4));
    expect(lengths(await pull)).toEqual([3, 4]);
  });

  it.each([
    ['at the window', [WINDOW_BYTES], []],
    ['one past it', [WINDOW_BYTES, 1], ['hold']],
    ['far past it, once', [WINDOW_BYTES, 1, 1, 1], ['hold']],
  ])('holds its source: %s', async (_, pushed, calls) => {
    const { queue, source } = setUp();
    for (const length of pushed) queue.push(bytes(length));
    expect(source.calls).toEqual(calls);
    expect(lengths(await queue.next())).toEqual(pushed);
    expect(source.calls).toEqual([...calls, ...calls.map(() => 'release')]);
  });

  it('keeps for the next pull what the source pushes while it is released', async () => {
    const { queue, source } = setUp();
    source.onRelease = () => queue.push(bytes(5));
    queue.push(bytes(WINDOW_BYTES + 1));
    expect(lengths(await queue.next())).toEqual([WINDOW_BYTES + 1]);
    expect(lengths(await queue.next())).toEqual([5]);
  });

  it('does not release a source that has ended', async () => {
    const { queue, source } = setUp();
    queue.push(bytes(WINDOW_BYTES + 1));
    queue.end();
    await queue.next();
    expect(source.calls).toEqual(['hold']);
  });

  it.each([
    ['end', (queue: ChunkQueue) => queue.end(), { done: true, value: undefined }],
    ['fail', (queue: ChunkQueue) => queue.fail(new Error('broken')), new Error('broken')],
  ])('%s comes after what was pushed, whether a pull waits or not', async (_, finish, outcome) => {
    for (const waits of [true, false]) {
      const { queue, source } = setUp();
      const waiting = waits ? queue.next() : undefined;
      queue.push(bytes(3));
      finish(queue);
      queue.push(bytes(9));
      expect(lengths(await (waiting ?? queue.next()))).toEqual([3]);
      const last = queue.next();
      if (outcome instanceof Error) await expect(last).rejects.toEqual(outcome);
      else expect(await last).toEqual(outcome);
      expect(source.calls).toEqual(['leave']);
    }
  });

  it('an abort drops what was pushed, wakes the waiting pull and outlives the end', async () => {
    for (const before of [
      (queue: ChunkQueue) => queue.push(bytes(3)),
      (queue: ChunkQueue) => queue.end(),
      (queue: ChunkQueue) => queue.fail(new Error('broken')),
    ]) {
      const { queue, source } = setUp();
      before(queue);
      queue.abort('reason');
      await expect(queue.next()).rejects.toBe('reason');
      expect(source.calls).toEqual(['leave']);
    }
    const { queue, source } = setUp();
    const waiting = queue.next();
    queue.push(bytes(3));
    queue.abort('reason');
    await expect(waiting).rejects.toBe('reason');
    expect(source.calls).toEqual(['leave']);
  });

  it('leaves its source once, however often the reader leaves', async () => {
    const { queue, source } = setUp();
    const waiting = queue.next();
    await queue.return();
    await queue.return();
    queue.abort('late');
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await queue.next()).toEqual({ done: true, value: undefined });
    expect(source.calls).toEqual(['leave']);
  });

  it('refuses a second pull while one waits', async () => {
    const { queue } = setUp();
    const first = queue.next();
    await expect(queue.next()).rejects.toThrow('one reader');
    queue.end();
    await first;
  });

  describe('its idle limit', () => {
    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    });
    afterEach(() => {
      jest.useRealTimers();
    });

    it('runs anew for each pull, and only while one waits', async () => {
      const { queue, source } = setUp(100);
      for (let round = 0; round < 3; round++) {
        const pull = queue.next();
        jest.advanceTimersByTime(99);
        queue.push(bytes(1));
        expect(lengths(await pull)).toEqual([1]);
        jest.advanceTimersByTime(1_000);
      }
      const pull = queue.next();
      jest.advanceTimersByTime(99);
      expect(source.calls).toEqual([]);
      jest.advanceTimersByTime(1);
      await expect(pull).rejects.toMatchObject({ kind: 'timed-out' });
      expect(source.calls).toEqual(['leave']);
      expect(jest.getTimerCount()).toBe(0);
      // Nor once the body is over, even if its reader never pulls again.
      const unread = setUp(1_000).queue;
      const first = unread.next();
      unread.push(bytes(1));
      await first;
      unread.push(bytes(1));
      unread.end();
      expect(jest.getTimerCount()).toBe(0);
    });

    it('is counted from the pull, though its timer began with an earlier one', async () => {
      const { queue } = setUp(100);
      const first = queue.next();
      jest.advanceTimersByTime(60);
      queue.push(bytes(1));
      await first;
      const second = queue.next();
      let failure: unknown;
      second.catch((error: unknown) => (failure = error));
      await jest.advanceTimersByTimeAsync(99);
      expect(failure).toBeUndefined();
      await jest.advanceTimersByTimeAsync(1);
      expect(failure).toMatchObject({ kind: 'timed-out' });
      expect(jest.getTimerCount()).toBe(0);
    });

    it.each([
      ['the end', (queue: ChunkQueue) => queue.end()],
      ['the reader’s leaving', (queue: ChunkQueue) => void queue.return()],
    ])('leaves no timer behind after %s', async (_, finish) => {
      const { queue } = setUp(100);
      const pull = queue.next();
      finish(queue);
      await pull;
      expect(jest.getTimerCount()).toBe(0);
    });
  });

  it('gives every byte once and in order, in whatever order pushes and pulls come', async () => {
    const action = fc.oneof(
      fc.record({ push: fc.integer({ min: 1, max: WINDOW_BYTES }) }),
      fc.constant('pull' as const),
      fc.constant('turn' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
        const { queue, source } = setUp();
        const pushed: Uint8Array[] = [];
        const pulls: Promise<IteratorResult<readonly Uint8Array[], undefined>>[] = [];
        let waiting = false;
        for (const step of actions) {
          if (step === 'turn') await new Promise((resolve) => setImmediate(resolve));
          else if (step === 'pull' && !waiting) {
            waiting = true;
            pulls.push(queue.next().finally(() => (waiting = false)));
          } else if (typeof step === 'object') {
            const chunk = bytes(step.push, pushed.length);
            pushed.push(chunk);
            queue.push(chunk);
          }
        }
        queue.end();
        const given = (await Promise.all(pulls)).flatMap(({ value }) => [...(value ?? [])]);
        for await (const chunks of queue) given.push(...chunks);
        expect(given).toEqual(pushed);
        expect(source.calls.filter((calls) => calls === 'hold').length).toBeLessThanOrEqual(pushed.length);
        expect(source.calls.at(-1)).toBe('leave');
      }),
      { numRuns: 100 },
    );
  });
});
