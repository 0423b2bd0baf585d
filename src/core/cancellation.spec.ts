import { Cancellation, toAbortSignal } from './cancellation.js';

describe('a cancellation', () => {
  it('notifies each listener once, with the first reason alone', () => {
    const cancellation = new Cancellation();
    const notified: string[] = [];
    const object = { handleEvent: () => void notified.push('object') };
    const left = (): void => void notified.push('left');
    cancellation.addEventListener('abort', () => void notified.push('function'));
    cancellation.addEventListener('abort', left);
    cancellation.addEventListener('abort', object);
    cancellation.removeEventListener('abort', left);
    cancellation.removeEventListener('abort', left);
    expect([cancellation.aborted, notified]).toEqual([false, []]);
    cancellation.throwIfAborted();

    const first = new Error('first');
    cancellation.abort(first);
    cancellation.abort(new Error('second'));
    expect([cancellation.aborted, cancellation.reason, notified]).toEqual([true, first, ['function', 'object']]);
    expect(() => cancellation.throwIfAborted()).toThrow(first);
  });

  it('lets a listener be removed while others are notified', () => {
    const cancellation = new Cancellation();
    const notified: string[] = [];
    const second = (): void => void notified.push('second');
    cancellation.addEventListener('abort', () => cancellation.removeEventListener('abort', second));
    cancellation.addEventListener('abort', second);
    cancellation.abort(new Error('over'));
    expect(notified).toEqual(['second']);
  });

  it.each([
    ['before', true],
    ['after', false],
  ])('becomes a signal of the platform’s, aborted %s', (_, isAborted) => {
    const cancellation = new Cancellation();
    const reason = new Error('over');
    if (isAborted) cancellation.abort(reason);
    const signal = toAbortSignal(cancellation);
    cancellation.abort(reason);
    expect([signal.aborted, signal.reason]).toEqual([true, reason]);
    expect(toAbortSignal(signal)).toBe(signal);
  });
});
