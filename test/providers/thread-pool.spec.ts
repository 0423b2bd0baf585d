// Goal: heavy work never holds its caller up for longer than is said, whatever becomes of it. Method: threads of a
// small script that answers, hangs, throws, ends or grows when it is told to.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ThreadPool, type ThreadPoolOptions } from '../../src/shared/thread-pool.js';

const SCRIPT = `
  import { parentPort, threadId } from 'node:worker_threads';
  parentPort.on('message', ({ does, flag }) => {
    if (does === 'hang') for (;;);
    if (does === 'throw') throw new Error('as told');
    if (does === 'exit') process.exit(0);
    if (does === 'grow') for (const kept = []; ; ) kept.push(Array(1e5).fill(kept));
    // Answers once it is told to by whoever shares the memory.
    if (does === 'wait') Atomics.wait(new Int32Array(flag), 0, 0);
    parentPort.postMessage({ threadId });
  });
  parentPort.postMessage('loaded');
`;
interface Input {
  readonly does: 'answer' | 'hang' | 'throw' | 'exit' | 'grow' | 'wait';
  readonly flag?: SharedArrayBuffer;
}

const folder = mkdtempSync(join(tmpdir(), 'fairlead-thread-pool-'));
const file = join(folder, 'script.mjs');
writeFileSync(file, SCRIPT);
const open: ThreadPool<Input, { readonly threadId: number }>[] = [];
function pool(options: Partial<ThreadPoolOptions> = {}): ThreadPool<Input, { readonly threadId: number }> {
  const one = new ThreadPool<Input, { readonly threadId: number }>(file, {
    threadsMax: 1,
    waitingMax: 1,
    timeMs: 5_000,
    totalMs: 20_000,
    heapMegabytes: 32,
    ...options,
  });
  open.push(one);
  return one;
}
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));
afterAll(() => rmSync(folder, { recursive: true }));

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
  'says nothing where a thread has to %s, and goes on with another',
  async (does) => {
    const threads = pool();
    const before = await threads.run(ANSWER);
    expect(await threads.run({ does })).toBeUndefined();
    const after = await threads.run(ANSWER);
    expect(after).toBeDefined();
    expect(after).not.toEqual(before);
  },
);

it('ends what takes too long, and goes on with what waited', async () => {
  const threads = pool({ timeMs: 300 });
  const startedAt = performance.now();
  const [hung, waited] = await Promise.all([threads.run({ does: 'hang' }), threads.run(ANSWER)]);
  expect(hung).toBeUndefined();
  expect(waited).toBeDefined();
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(300);
});

it('starts no more threads than it may, and turns away whom it has no place for', async () => {
  const threads = pool({ threadsMax: 2, waitingMax: 1 });
  const [one, other] = [held(), held()];
  const running = [threads.run(one.input), threads.run(other.input)];
  const waiting = threads.run(ANSWER);
  expect(await threads.run(ANSWER)).toBeUndefined();
  one.release();
  expect(await waiting).toEqual(await running[0]);
  other.release();
  expect(await running[1]).toBeDefined();
});

it('lets nobody wait longer than is said, where no thread ever comes up', async () => {
  const stuck = join(folder, 'stuck.mjs');
  writeFileSync(stuck, 'for (;;);');
  const threads = new ThreadPool<Input, object>(stuck, {
    threadsMax: 2,
    waitingMax: 6,
    timeMs: 100,
    totalMs: 500,
    heapMegabytes: 32,
  });
  open.push(threads as ThreadPool<Input, { readonly threadId: number }>);
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 8 }, () => threads.run(ANSWER)));
  // A thread that is loading has two seconds: eight jobs for two threads took eight.
  expect(performance.now() - startedAt).toBeLessThan(500 + 1_400);
  expect(answers).toEqual(Array.from({ length: 8 }, () => undefined));
});

it('keeps a thread for others whose job nobody waits for any more', async () => {
  const threads = pool({ totalMs: 1_000 });
  const { threadId } = (await threads.run(ANSWER))!;
  const late = held();
  expect(await threads.run(late.input)).toBeUndefined();
  const next = threads.run(ANSWER);
  late.release();
  expect(await next).toEqual({ threadId });
});

it('ends with its threads, and takes nothing afterwards', async () => {
  const threads = pool();
  const running = threads.run({ does: 'hang' });
  const waiting = threads.run(ANSWER);
  await threads.close();
  expect(await Promise.all([running, waiting, threads.run(ANSWER)])).toEqual([undefined, undefined, undefined]);
});

it('says nothing where its code cannot be loaded', async () => {
  const broken = new ThreadPool<Input, object>(join(folder, 'missing.mjs'), {
    threadsMax: 1,
    waitingMax: 0,
    timeMs: 1_000,
    totalMs: 20_000,
    heapMegabytes: 32,
  });
  expect(await broken.run(ANSWER)).toBeUndefined();
});
