// Counts turns of the event loop beside work of several steps: short work takes no turn, long work yields after each
// step.
import { doAtOnce, doInSlices, StepCounter, type Steps } from './steps.js';

function* work(steps: number, done: number[] = []): Steps<number> {
  for (let step = 1; step < steps; step++) {
    done.push(step);
    yield;
  }
  return steps;
}

function* failing(steps: number): Steps<never> {
  yield* work(steps);
  throw new Error('of its own');
}

it('returns the result of one step synchronously', () => {
  expect(doInSlices(work(1))).toBe(1);
  expect(() => doInSlices(failing(1))).toThrow('of its own');
});

it('yields to the event loop after each of several steps, and before the work that follows', async () => {
  const done: number[] = [];
  const seen: number[] = [];
  let isOver = false;
  const look = (): void => {
    seen.push(done.length);
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  expect(await doInSlices(work(5, done))).toBe(5);
  isOver = true;
  expect([...new Set(seen)]).toEqual([1, 2, 3, 4]);
  await expect(doInSlices(failing(3))).rejects.toThrow('of its own');
});

it('does all of it synchronously on demand', () => {
  expect(doAtOnce(work(5))).toBe(5);
});

it('reports when a step of small items is over, however many were done at once', () => {
  const steps = new StepCounter();
  const over = Array.from({ length: 2_000 }, () => steps.isOver()).filter(Boolean).length;
  expect(over).toBe(4);
  expect([steps.isOver(499), steps.isOver(), steps.isOver(20_000), steps.isOver()]).toEqual([false, true, true, false]);
});
