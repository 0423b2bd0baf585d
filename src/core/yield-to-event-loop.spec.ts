// Jobs with long and with short steps, beside a counter of the event loop's turns: however much large work runs at
// once, other work waits for a step or two of it, and all of it continues.
import { yieldToEventLoop } from './yield-to-event-loop.js';

/** Blocks the process for so long, like a step of large work. */
function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

/** The most steps between two turns of the event loop, and the order of the jobs. */
async function watch(jobs: number, steps: number, ms: number): Promise<{ most: number; order: number[] }> {
  let [inTurn, most, isOver] = [0, 0, false];
  const order: number[] = [];
  const turn = (): void => {
    inTurn = 0;
    if (!isOver) setImmediate(turn);
  };
  turn();
  await Promise.all(
    Array.from({ length: jobs }, async (_, job) => {
      for (let step = 0; step < steps; step++) {
        await yieldToEventLoop();
        order.push(job);
        most = Math.max(most, ++inTurn);
        work(ms);
      }
    }),
  );
  isOver = true;
  return { most, order };
}

describe('yieldToEventLoop', () => {
  it('runs one long step of many jobs in a turn', async () => {
    const { most, order } = await watch(20, 3, 3);
    expect(most).toBe(1);
    const all = Array.from({ length: 20 }, (_, job) => job);
    expect(order).toEqual([...all, ...all, ...all]);
  });

  it('runs several short steps in a turn, and never two of one job', async () => {
    const { most, order } = await watch(5, 100, 0);
    expect(most).toBeLessThanOrEqual(5);
    expect(order).toHaveLength(500);
  });

  it('continues other jobs when one throws', async () => {
    const failed = yieldToEventLoop().then(() => {
      throw new Error('of its own');
    });
    const other = yieldToEventLoop();
    await expect(failed).rejects.toThrow('of its own');
    await expect(other).resolves.toBeUndefined();
    await expect(yieldToEventLoop()).resolves.toBeUndefined();
  });
});
