// Checks that heavy work never delays its caller beyond the given time, however it ends. The threads run a small
// script that answers, hangs, throws, ends or grows on command.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cancellation } from '../../src/core/cancellation.js';
import { CallerGone } from '../../src/core/errors.js';
import { ThreadFault, ThreadPool, type ThreadJob, type ThreadPoolOptions } from '../../src/shared/thread-pool.js';
import { compiledSource } from '../support/compiled-source.js';

const SCRIPT = `
  import { parentPort, threadId } from 'node:worker_threads';
  parentPort.on('message', ({ does, flag }) => {
    if (does === 'hang') for (;;);
    if (does === 'throw') throw new Error('as told');
    if (does === 'exit') process.exit(0);
    if (does === 'grow') for (const kept = []; ; ) kept.push(Array(1e5).fill(kept));
    // Answers when another thread sets the shared flag.
    if (does === 'wait') Atomics.wait(new Int32Array(flag), 0, 0);
    parentPort.postMessage(does === 'tell' ? Object.keys(process.env) : { threadId });
  });
  parentPort.postMessage('loaded');
`;
interface Input {
  readonly does: 'answer' | 'hang' | 'throw' | 'exit' | 'grow' | 'wait' | 'tell';
  readonly flag?: SharedArrayBuffer;
}

const folder = mkdtempSync(join(tmpdir(), 'fairlead-thread-pool-'));
const file = join(folder, 'script.mjs');
writeFileSync(file, SCRIPT);
interface Output {
  readonly threadId: number;
}
/** A pool with time limits for jobs that have none of their own. */
class TimedPool extends ThreadPool<Input, Output> {
  times = { timeMs: 5_000, totalMs: 20_000 };
  override run(input: Input, job: Partial<ThreadJob> = {}): Promise<Output> {
    return super.run(input, { ...this.times, ...job });
  }
}
const open: TimedPool[] = [];
function pool({
  timeMs = 5_000,
  totalMs = 20_000,
  code = file,
  ...options
}: Partial<ThreadPoolOptions & ThreadJob> & { code?: string } = {}): TimedPool {
  const one = new TimedPool(code, { threadsMax: 1, waitingMax: 1, heapMegabytes: 32, ...options });
  one.times = { timeMs, totalMs };
  open.push(one);
  return one;
}
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));
afterAll(() => rmSync(folder, { recursive: true }));

const fault = (kind: ThreadFault['kind']) => expect.objectContaining({ name: 'ThreadFault', kind });
/** The reason of the failure, as a value. */
const why = (run: Promise<unknown>): Promise<unknown> => run.catch((error: unknown) => (error as ThreadFault).kind);

const ANSWER = { does: 'answer' } as const;
/** A job that ends when `release` is called. */
function held(): { readonly input: Input; readonly release: () => void } {
  const flag = new SharedArrayBuffer(4);
  const release = (): void => {
    const view = new Int32Array(flag);
    Atomics.store(view, 0, 1);
    Atomics.notify(view, 0);
  };
  return { input: { does: 'wait', flag }, release };
}

it('answers one job after another in the same thread', async () => {
  const threads = pool();
  const first = await threads.run(ANSWER);
  expect(first).toBeDefined();
  expect(await threads.run(ANSWER)).toEqual(first);
});

it.each(['throw', 'exit', 'grow'] as const)(
  'reports that a thread died by %s, and continues with another',
  async (does) => {
    const threads = pool();
    const before = await threads.run(ANSWER);
    await expect(threads.run({ does })).rejects.toEqual(fault('died'));
    const after = await threads.run(ANSWER);
    expect(after).toBeDefined();
    expect(after).not.toEqual(before);
  },
);

it('ends jobs that take too long, and continues with waiting ones', async () => {
  const threads = pool({ timeMs: 300 });
  const startedAt = performance.now();
  const [hung, waited] = await Promise.all([why(threads.run({ does: 'hang' })), threads.run(ANSWER)]);
  expect(hung).toBe('timed-out');
  expect(waited).toBeDefined();
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(300);
});

it('starts no more threads than it may, and refuses jobs beyond its queue', async () => {
  const threads = pool({ threadsMax: 2, waitingMax: 1 });
  const [one, other] = [held(), held()];
  const running = [threads.run(one.input), threads.run(other.input)];
  const waiting = threads.run(ANSWER);
  await expect(threads.run(ANSWER)).rejects.toEqual(fault('busy'));
  one.release();
  expect(await waiting).toEqual(await running[0]);
  other.release();
  expect(await running[1]).toBeDefined();
});

it('lets no job wait longer than its limit, where no thread ever starts', async () => {
  const stuck = join(folder, 'stuck.mjs');
  writeFileSync(stuck, 'for (;;);');
  const threads = pool({ code: stuck, threadsMax: 2, waitingMax: 6, timeMs: 100, totalMs: 500 });
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 8 }, () => why(threads.run(ANSWER))));
  // A loading thread has two seconds: without the limit, eight jobs for two threads would take eight.
  expect(performance.now() - startedAt).toBeLessThan(500 + 1_400);
  expect(answers).toEqual(Array.from({ length: 8 }, () => 'timed-out'));
});

it('keeps a thread for other jobs after its own has timed out', async () => {
  const threads = pool({ totalMs: 1_000 });
  const { threadId } = await threads.run(ANSWER);
  const late = held();
  await expect(threads.run(late.input)).rejects.toEqual(fault('timed-out'));
  const next = threads.run(ANSWER);
  late.release();
  expect(await next).toEqual({ threadId });
});

it('gives a job the time that is its own', async () => {
  await expect(pool().run({ does: 'hang' }, { timeMs: 200 })).rejects.toEqual(fault('timed-out'));
});

it('releases an aborted caller at once, and continues with another thread', async () => {
  const threads = pool({ waitingMax: 2 });
  const before = await threads.run(ANSWER);
  const abort = new Cancellation();
  const hung = threads.run({ does: 'hang' }, { signal: abort.signal });
  const waiting = threads.run(ANSWER, { signal: abort.signal });
  const patient = threads.run(ANSWER);
  abort.abort(new CallerGone());
  await expect(hung).rejects.toThrow(CallerGone);
  await expect(waiting).rejects.toThrow(CallerGone);
  expect(await patient).not.toEqual(before);
  await expect(threads.run(ANSWER, { signal: abort.signal })).rejects.toThrow(CallerGone);
});

it('passes its threads none of the variables of the process', async () => {
  expect((await pool().run({ does: 'tell' })) as unknown).toEqual([]);
});

it('ends with its threads, and takes nothing afterwards', async () => {
  const threads = pool();
  const running = why(threads.run({ does: 'hang' }));
  const waiting = why(threads.run(ANSWER));
  await threads.close();
  expect(await Promise.all([running, waiting, why(threads.run(ANSWER))])).toEqual(['died', 'died', 'busy']);
});

it('reports that its code cannot be loaded', async () => {
  const broken = pool({ code: join(folder, 'missing.mjs'), waitingMax: 0, timeMs: 1_000 });
  await expect(broken.run(ANSWER)).rejects.toEqual(fault('died'));
});

/** Without the guard, about one end in five ended the process. */
const ENDS = 40;
const THREAD_END = compiledSource('shared/thread-end.js');

it('ends threads that compress without a pause, and not the process with them', async () => {
  const packing = join(folder, 'packing.mjs');
  writeFileSync(
    packing,
    `import { parentPort, workerData } from 'node:worker_threads';
     import { deflateSync, inflateSync } from 'node:zlib';
     import { announceCompression } from '${THREAD_END}';
     announceCompression(workerData);
     const packed = deflateSync('words');
     parentPort.on('message', () => { for (;;) inflateSync(packed); });
     parentPort.postMessage('loaded');`,
  );
  // In a separate process: unguarded, one in a few such ends also ends the process.
  const main = join(folder, 'ends.mjs');
  writeFileSync(
    main,
    `
    import { Worker } from 'node:worker_threads';
    import { endThread, newThreadState } from '${THREAD_END}';
    for (let end = 0; end < ${ENDS}; end++) {
      const state = newThreadState();
      const thread = new Worker('${packing}', { workerData: state });
      await new Promise((resolve) => thread.once('message', resolve));
      thread.postMessage('begin');
      await new Promise((resolve) => setTimeout(resolve, 20 + (end % 7)));
      await endThread(thread, state);
    }`,
  );
  const { status, stderr } = spawnSync(process.execPath, [main], { encoding: 'utf8', timeout: 25_000 });
  expect([status, stderr]).toEqual([0, '']);
});
