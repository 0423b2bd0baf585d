// A ping is always answered in time, never throws, and records since when the database is unreachable. A DataSource
// whose answers are settled by hand, a clock moved by hand, jest's timers for the bound.
import type { DataSource } from 'typeorm';
import { Clock } from '../../core/time.js';
import { DatabaseHealth } from './database-health.js';

class ManualClock extends Clock {
  at = 1_000;
  override now(): number {
    return this.at;
  }
}

function setUp(): { health: DatabaseHealth; clock: ManualClock; questions: PromiseWithResolvers[] } {
  const questions: PromiseWithResolvers[] = [];
  const query = () => new Promise<unknown>((resolve, reject) => questions.push({ resolve, reject }));
  const clock = new ManualClock();
  return { health: new DatabaseHealth({ query } as unknown as DataSource, clock), clock, questions };
}

interface PromiseWithResolvers {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('is true when the database answers, without an outage', async () => {
  const { health, questions } = setUp();
  const ping = health.ping();
  questions[0]!.resolve([]);
  expect(await ping).toBe(true);
  expect(health.unreachableSince).toBeUndefined();
  expect(jest.getTimerCount()).toBe(0);
});

it('is false when the query fails; the outage begins at the first failure and ends with an answer', async () => {
  const { health, clock, questions } = setUp();
  for (const [index, at] of [1_000, 2_000].entries()) {
    clock.at = at;
    const ping = health.ping();
    questions[index]!.reject(new Error('connection refused'));
    expect(await ping).toBe(false);
    expect(health.unreachableSince).toBe(1_000);
  }
  const ping = health.ping();
  questions[2]!.resolve([]);
  expect(await ping).toBe(true);
  expect(health.unreachableSince).toBeUndefined();
});

it('is false after a second without an answer, not before, with only one query meanwhile', async () => {
  const { health, questions } = setUp();
  const settled: boolean[] = [];
  void health.ping().then((answered) => settled.push(answered));
  await jest.advanceTimersByTimeAsync(999);
  expect(settled).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(settled).toEqual([false]);

  const second = health.ping();
  expect(questions).toHaveLength(1);
  questions[0]!.resolve([]);
  expect(await second).toBe(true);
  void health.ping();
  expect(questions).toHaveLength(2);
});
