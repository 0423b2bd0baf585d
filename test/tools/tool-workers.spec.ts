// The threads of service tools serve every key, and answer within a job's time whatever it does. The pool runs a small
// script that answers, hangs, fails or grows on request.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { Cancellation } from '../../src/core/cancellation.js';
import { CallerGone } from '../../src/core/errors.js';
import type { WorkerJob } from '../../src/tools/workers/jobs.js';
import { ToolWorkers, WorkerCode } from '../../src/tools/workers/tool-workers.js';

const SCRIPT = `
  import { parentPort, threadId } from 'node:worker_threads';
  parentPort.on('message', ({ job, input }) => {
    if (job === 'hang') for (;;);
    if (job === 'grow') for (const kept = []; ; ) kept.push(Array(1e5).fill(kept));
    if (job === 'refuse') return parentPort.postMessage({ fault: { kind: 'unsupported', message: 'is encrypted' } });
    if (job === 'fail') return parentPort.postMessage({ failure: 'TypeError: at secret-place.js' });
    if (job.startsWith('wait')) Atomics.wait(new Int32Array(input.flag), 0, 0);
    parentPort.postMessage({ output: { threadId, length: input.bytes?.length } });
  });
  parentPort.postMessage('loaded');
`;

const folder = mkdtempSync(join(tmpdir(), 'fairlead-tool-workers-'));
const file = join(folder, 'script.mjs');
writeFileSync(file, SCRIPT);
const job = (ms: number, isLong = false): WorkerJob => ({
  isLong,
  timeMs: () => ms,
  load: () => Promise.reject(new Error('not loaded here')),
});
const JOBS = {
  answer: job(5_000),
  wait: job(20_000),
  'wait-long': job(20_000, true),
  refuse: job(5_000),
  fail: job(5_000),
  grow: job(20_000),
  hang: job(300),
};

let open: ToolWorkers[] = [];
const made = (code?: WorkerCode): ToolWorkers => {
  const workers = new ToolWorkers(code);
  open.push(workers);
  return workers;
};
const workers = (): ToolWorkers => made(new WorkerCode(file, JOBS));
afterEach(async () => {
  await Promise.all(open.map((one) => one.onApplicationShutdown()));
  open = [];
});
afterAll(() => rmSync(folder, { recursive: true }));

const { signal: live } = new Cancellation();
const fault = (kind: string) => expect.objectContaining({ name: 'ExtensionFault', kind });
/** A job's input that occupies its thread until `release` is called. */
function held(): { readonly input: { flag: SharedArrayBuffer }; readonly release: () => void } {
  const flag = new SharedArrayBuffer(4);
  const release = (): void => {
    Atomics.store(new Int32Array(flag), 0, 1);
    Atomics.notify(new Int32Array(flag), 0);
  };
  return { input: { flag }, release };
}

it.each([
  ['refuse', 'unsupported', 'is encrypted'],
  ['fail', 'unavailable', 'could not be worked on'],
  ['hang', 'timed-out', 'took too long to work on'],
  ['grow', 'unavailable', 'was too much to work on'],
])('reports the outcome of a job that has to %s, and continues', async (name, kind, message) => {
  const pool = workers().of('a key');
  await expect(pool.run(name, () => ({}), live)).rejects.toEqual(fault(kind));
  await expect(pool.run(name, () => ({}), live)).rejects.toThrow(message);
  expect(await pool.run('answer', () => ({}), live)).toMatchObject({ threadId: expect.any(Number) as number });
});

it('logs where a job failed unexpectedly, and no other failure', async () => {
  const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  const pool = workers().of('a key');
  for (const name of ['fail', 'refuse', 'hang']) await pool.run(name, () => ({}), live).catch(() => undefined);
  expect(logged.mock.calls).toEqual([['The job fail failed: TypeError: at secret-place.js']]);
  logged.mockRestore();
});

it('transfers large binary parts, and copies small ones', async () => {
  const pool = workers().of('a key');
  const large = Buffer.alloc(100_000);
  const small = Buffer.from('small');
  expect(await pool.run('answer', () => ({ bytes: large }), live)).toMatchObject({ length: 100_000 });
  expect(await pool.run('answer', () => ({ bytes: small }), live)).toMatchObject({ length: 5 });
  expect([large.length, small.length]).toEqual([0, 5]);
});

it('makes the input of a job once a thread is free for it', async () => {
  const pool = workers().of('a key');
  const { input, release } = held();
  let made = 0;
  const jobs = [pool.run('wait', () => input, live), pool.run('answer', () => ({ bytes: Buffer.alloc(++made) }), live)];
  await expect(Promise.race([...jobs, new Promise((resolve) => setTimeout(resolve, 200))])).resolves.toBeUndefined();
  expect(made).toBe(0);
  release();
  expect((await Promise.all(jobs))[1]).toMatchObject({ length: 1 });
});

it('has a thread for another key, however many jobs one key has', async () => {
  const all = workers();
  const { input, release } = held();
  const greedy = Array.from({ length: 17 }, () => all.of('greedy').run('wait', () => input, live));
  await expect(all.of('greedy').run('answer', () => ({}), live)).rejects.toEqual(fault('busy'));
  expect(await all.of('other').run('answer', () => ({}), live)).toBeDefined();
  release();
  expect(await Promise.all(greedy)).toHaveLength(17);
});

it('leaves a thread to short jobs, however many keys have long ones, which take turns', async () => {
  const all = workers();
  const { input, release } = held();
  const order: string[] = [];
  const long = ['one', 'two', 'one', 'two', 'three'].map(async (key) => {
    await all.of(key).run('wait-long', () => (order.push(key), input), live);
  });
  for (let job = 0; job < 3; job++) {
    expect(await Promise.race([all.of('other').run('answer', () => ({}), live), ...long])).toBeDefined();
  }
  expect(order).toEqual(['one', 'two']);
  release();
  await Promise.all(long);
  // The key that was served least recently is next.
  expect(order.slice(0, 3)).toEqual(['one', 'two', 'three']);
});

const onLinux = process.platform === 'linux' ? it : it.skip;
onLinux('gives its threads a lower priority than the process, which keeps its own', async () => {
  const niceness = (): Map<string, number> =>
    new Map(
      readdirSync('/proc/self/task').map((id) => {
        const [, fields] = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(/\) (?!.*\) )/);
        return [id, Number(fields!.split(' ')[16])];
      }),
    );
  const before = niceness();
  const pool = made().of('a key');
  const page = { bytes: Buffer.from('words'), mediaType: 'text/plain', url: 'http://a.example/', tokensMax: 100 };
  expect(await pool.run('read-page', () => page, live)).toMatchObject({ text: 'words' });
  const after = niceness();
  const own = after.get(String(process.pid))!;
  expect(own).toBe(before.get(String(process.pid)));
  const added = [...after].filter(([id]) => !before.has(id)).map(([, nice]) => nice);
  expect(Math.max(...added)).toBe(Math.min(19, own + 10));
});

it('frees its slot at once when the caller leaves, whether a thread had the job or not', async () => {
  const pool = workers().of('a key');
  const { input } = held();
  const abort = new Cancellation();
  const jobs = [pool.run('wait', () => input, abort.signal), pool.run('answer', () => ({}), abort.signal)];
  await expect(Promise.race([...jobs, new Promise((resolve) => setTimeout(resolve, 200))])).resolves.toBeUndefined();
  abort.abort(new CallerGone());
  for (const one of jobs) await expect(one).rejects.toThrow(CallerGone);
  expect(await pool.run('answer', () => ({}), live)).toBeDefined();
});
