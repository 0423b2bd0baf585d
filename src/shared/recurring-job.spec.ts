// Goal: rounds come by themselves, one at a time, whatever one of them came to, and the end waits for the last one, but
// not for long. Method: work that ends when it is told to, and a clock that is moved.
import { RecurringJob } from './recurring-job.js';

const EVERY_MS = 1_000;
let rounds: { resolve: () => void; reject: (reason: unknown) => void }[];
let errors: unknown[];
let job: RecurringJob;
beforeEach(() => {
  jest.useFakeTimers();
  [rounds, errors] = [[], []];
  const work = (): Promise<void> => new Promise((resolve, reject) => rounds.push({ resolve, reject }));
  job = new RecurringJob(work, { error: (error: unknown) => void errors.push(error) });
});
afterEach(() => jest.useRealTimers());

it('has one round at a time', async () => {
  job.start(EVERY_MS);
  await jest.advanceTimersByTimeAsync(3 * EVERY_MS);
  expect(rounds).toHaveLength(1);
  const joined = job.run();
  rounds[0]!.resolve();
  await joined;
  await jest.advanceTimersByTimeAsync(EVERY_MS);
  expect(rounds).toHaveLength(2);
});

it('tells what failed, but for an outage, and comes round again', async () => {
  for (const error of [new Error('no room'), Object.assign(new Error('gone'), { code: '57P02' })]) {
    const round = job.run();
    rounds.at(-1)!.reject(error);
    await round;
  }
  expect(errors.map((error) => (error as Error).message)).toEqual(['no room']);
  void job.run();
  expect(rounds).toHaveLength(3);
});

it('ends behind the round under way, of which it tells', async () => {
  job.start(EVERY_MS);
  await jest.advanceTimersByTimeAsync(EVERY_MS);
  let hasEnded = false;
  const ended = job.end().then(() => (hasEnded = true));
  expect(job.isEnding).toBe(true);
  await jest.advanceTimersByTimeAsync(EVERY_MS);
  expect(hasEnded).toBe(false);
  rounds[0]!.resolve();
  await ended;
  await jest.advanceTimersByTimeAsync(2 * EVERY_MS);
  expect(rounds).toHaveLength(1);
});
