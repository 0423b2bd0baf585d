// Waiting ends at the abort, and a later failure is no unhandled rejection. Promises and signals built by hand, and a
// listener for unhandled rejections.
import { setImmediate } from 'node:timers/promises';
import { untilAborted } from './until-aborted.js';

const unhandled = jest.fn();
beforeAll(() => void process.on('unhandledRejection', unhandled));
afterAll(() => void process.off('unhandledRejection', unhandled));
afterEach(async () => {
  // Unhandled rejections are reported after the microtasks.
  await setImmediate();
  await setImmediate();
  expect(unhandled.mock.calls.splice(0)).toEqual([]);
});

const GONE = new Error('gone');
const LATE = new Error('too late');

it.each(['before', 'afterwards'])('stops waiting at the abort %s, and handles a later failure', async (when) => {
  const abort = new AbortController();
  if (when === 'before') abort.abort(GONE);
  let fail: (error: Error) => void = () => undefined;
  const promise = new Promise<never>((_, reject) => (fail = reject));
  const waiting = untilAborted(promise, abort.signal);
  if (when === 'afterwards') abort.abort(GONE);
  await expect(waiting).rejects.toBe(GONE);
  fail(LATE);
});

it('stops at once for an earlier failure, where it is aborted', async () => {
  await expect(untilAborted(Promise.reject(LATE), AbortSignal.abort(GONE))).rejects.toThrow();
});

it('returns a result that comes before the abort', async () => {
  const abort = new AbortController();
  await expect(untilAborted(Promise.resolve(1), abort.signal)).resolves.toBe(1);
  await expect(untilAborted(Promise.reject(LATE), abort.signal)).rejects.toBe(LATE);
  abort.abort(GONE);
});
