// Rounds run by themselves, one at a time, whatever the result of one, and the end waits briefly for the last one. Work
// that ends on command, and a clock that is moved.
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

it('runs one round at a time', async () => {
  job.start(EVERY_MS);
  await jest.advanceTimersByTimeAsync(3 * EVERY_MS);
  expect(rounds).toHaveLength(1);
  const joined = job.run();
  rounds[0]!.resolve();
  await joined;
  await jest.advanceTimersByTimeAsync(EVERY_MS);
  expect(rounds).toHaveLength(2);
});

it('runs a round anew after the running one, and one for all who call meanwhile', async () => {
  void job.run();
  const anew = [job.runAnew(), job.runAnew()];
  expect(rounds).toHaveLength(1);
  rounds[0]!.resolve();
  await jest.advanceTimersByTimeAsync(0);
  expect(rounds).toHaveLength(2);
  rounds[1]!.resolve();
  await Promise.all(anew);
  expect(rounds).toHaveLength(2);
});

it('logs a failure, except an outage, and runs again', async () => {
  for (const error of [new Error('no room'), Object.assign(new Error('gone'), { code: '57P02' })]) {
    const round = job.run();
    rounds.at(-1)!.reject(error);
    await round;
  }
  expect(errors.map((error) => (error as Error).message)).toEqual(['no room']);
  void job.run();
  expect(rounds).toHaveLength(3);
});

it('ends after the running round, whose failure it logs', async () => {
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
