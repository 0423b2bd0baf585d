// Goal: however much large work is under way at once, others wait for a step or two of it, and all of it goes on.
// Method: jobs whose steps take longer than a turn, or hardly anything, beside what counts the turns of the event loop.
import { yieldToEventLoop } from './yield-to-event-loop.js';

/** Does nothing else for so long, as a step of large work. */
function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

/** Most steps between two turns of the event loop, and in which order the jobs had theirs. */
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
  it('lets one step of many jobs be done in a turn, where it takes long', async () => {
    const { most, order } = await watch(20, 3, 3);
    expect(most).toBe(1);
    const all = Array.from({ length: 20 }, (_, job) => job);
    expect(order).toEqual([...all, ...all, ...all]);
  });

  it('lets several be done in one where they are short, and never two of one job', async () => {
    const { most, order } = await watch(5, 100, 0);
    expect(most).toBeLessThanOrEqual(5);
    expect(order).toHaveLength(500);
  });

  it('goes on with others when one throws', async () => {
    const failed = yieldToEventLoop().then(() => {
      throw new Error('of its own');
    });
    const other = yieldToEventLoop();
    await expect(failed).rejects.toThrow('of its own');
    await expect(other).resolves.toBeUndefined();
    await expect(yieldToEventLoop()).resolves.toBeUndefined();
  });
});
