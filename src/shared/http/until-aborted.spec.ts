// Goal: who waits gives up at the abort, and what fails later is no unhandled rejection. Method: promises and signals
// by hand, and an ear for rejections that nobody handles.
import { setImmediate } from 'node:timers/promises';
import { untilAborted } from './until-aborted.js';

const unhandled = jest.fn();
beforeAll(() => void process.on('unhandledRejection', unhandled));
afterAll(() => void process.off('unhandledRejection', unhandled));
afterEach(async () => {
  // Rejections are told when the microtasks are done.
  await setImmediate();
  await setImmediate();
  expect(unhandled.mock.calls.splice(0)).toEqual([]);
});

const GONE = new Error('gone');
const LATE = new Error('too late');

it.each(['before', 'afterwards'])('gives up at the abort %s, and hears what fails later', async (when) => {
  const abort = new AbortController();
  if (when === 'before') abort.abort(GONE);
  let fail: (error: Error) => void = () => undefined;
  const promise = new Promise<never>((_, reject) => (fail = reject));
  const waiting = untilAborted(promise, abort.signal);
  if (when === 'afterwards') abort.abort(GONE);
  await expect(waiting).rejects.toBe(GONE);
  fail(LATE);
});

it('gives up at once what has failed already, where it is aborted', async () => {
  await expect(untilAborted(Promise.reject(LATE), AbortSignal.abort(GONE))).rejects.toThrow();
});

it('gives what comes before the abort', async () => {
  const abort = new AbortController();
  await expect(untilAborted(Promise.resolve(1), abort.signal)).resolves.toBe(1);
  await expect(untilAborted(Promise.reject(LATE), abort.signal)).rejects.toBe(LATE);
  abort.abort(GONE);
});
