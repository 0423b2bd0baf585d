// Goal: short work costs no turn, long work gives others theirs after each step. Method: work of so many steps, beside
// what counts the turns of the event loop.
import { doAtOnce, doInTurns, StepCounter, type Steps } from './steps.js';

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

it('gives what comes of one step at once', () => {
  expect(doInTurns(work(1))).toBe(1);
  expect(() => doInTurns(failing(1))).toThrow('of its own');
});

it('gives others their turn after each step of more, and before what comes next', async () => {
  const done: number[] = [];
  const seen: number[] = [];
  let isOver = false;
  const look = (): void => {
    seen.push(done.length);
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  expect(await doInTurns(work(5, done))).toBe(5);
  isOver = true;
  expect([...new Set(seen)]).toEqual([1, 2, 3, 4]);
  await expect(doInTurns(failing(3))).rejects.toThrow('of its own');
});

it('does all of it at once for who cannot wait', () => {
  expect(doAtOnce(work(5))).toBe(5);
});

it('tells when a step of small things is over, however many were done at once', () => {
  const steps = new StepCounter();
  const over = Array.from({ length: 2_000 }, () => steps.isOver()).filter(Boolean).length;
  expect(over).toBe(4);
  expect([steps.isOver(499), steps.isOver(), steps.isOver(20_000), steps.isOver()]).toEqual([false, true, true, false]);
});
