// Look-ups of an address begin one at a time and five a second, none waits longer than two seconds, a burst delays no
// others for long, and the numbers of keys and addresses are bounded. The tests end the look-ups; jest's timers move
// the time.
import { Clock } from '../core/time.js';
import { LookUpQueues } from './look-up-queues.js';

class TimersClock extends Clock {
  override now(): number {
    return Date.now();
  }
}

describe('LookUpQueues', () => {
  let queues: LookUpQueues;
  let began: { readonly key: string; readonly atMs: number }[];
  let ends: (() => void)[];
  let start: number;
  beforeEach(() => {
    jest.useFakeTimers();
    start = Date.now();
    queues = new LookUpQueues(new TimersClock());
    began = [];
    ends = [];
  });
  afterEach(() => jest.useRealTimers());

  const run = (key: string, address = 'one'): Promise<string | undefined> =>
    queues.run(address, key, async () => {
      began.push({ key, atMs: Date.now() - start });
      return key;
    });
  const runLong = (key: string, address = 'one'): Promise<string | undefined> =>
    queues.run(address, key, async () => {
      began.push({ key, atMs: Date.now() - start });
      await new Promise<void>((resolve) => ends.push(resolve));
      return key;
    });
  const wait = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

  it('begins five a second, and refuses one that has waited for two', async () => {
    const all = Promise.all(Array.from({ length: 30 }, (_, key) => run(String(key))));
    await wait(2_000);
    const found = await all;
    expect(began.map(({ atMs }) => atMs)).toEqual([0, 200, 400, 600, 800, 1_000, 1_200, 1_400, 1_600, 1_800]);
    expect(found.filter((key) => key !== undefined)).toHaveLength(10);
    expect(queues.size).toBe(0);
    // Also after a pause: a second without look-ups does not allow five at once.
    await Promise.all([wait(10_000), run('later')]);
    const more = Promise.all([run('a'), run('b')]);
    await wait(200);
    await more;
    expect(began.slice(-2).map(({ atMs }) => atMs)).toEqual([12_000, 12_200]);
  });

  it('begins none while another is under way, and continues whether it was found, or its store failed', async () => {
    const first = runLong('slow');
    const second = run('next');
    await wait(1_000);
    expect(began.map(({ key }) => key)).toEqual(['slow']);
    ends[0]!();
    await wait(0);
    expect([await first, await second]).toEqual(['slow', 'next']);
    const failing = queues.run('one', 'x', () => Promise.reject(new Error('the store is gone')));
    const refused = expect(failing).rejects.toThrow('the store is gone');
    await wait(200);
    await refused;
    const after = run('after');
    await wait(200);
    expect(await after).toBe('after');
  });

  it('alternates between the newest and the longest waiting: a burst delays no others', async () => {
    await run('once');
    const all = [run('first'), run('second'), ...Array.from({ length: 50 }, (_, key) => run(`burst ${key}`))];
    await wait(100);
    all.push(run('last'));
    await wait(900);
    expect(began.map(({ key }) => key)).toEqual(['once', 'first', 'last', 'second', 'burst 49', 'burst 0']);
    await wait(2_000);
    await Promise.all(all);
  });

  it('lets requests of one key share a turn', async () => {
    await run('before');
    const both = [run('key'), run('key'), run('key')];
    expect(queues.size).toBe(1);
    await wait(200);
    expect(await Promise.all(both)).toEqual(['key', 'key', 'key']);
  });

  it('keeps addresses separate', async () => {
    const found = Promise.all([run('a', 'one'), run('b', 'two'), run('c', 'three')]);
    await wait(0);
    expect(await found).toEqual(['a', 'b', 'c']);
  });

  it('lets at most a hundred of an address wait, and refuses the one that has waited longest', async () => {
    const first = run('first');
    const all = Array.from({ length: 101 }, (_, key) => run(String(key)));
    expect([await first, queues.size]).toEqual(['first', 100]);
    expect(await all[0]).toBeUndefined();
    await wait(400);
    expect([await all[1], await all[100]]).toEqual(['1', '100']);
    await wait(2_000);
    await Promise.all(all);
  });

  it('lets at most two thousand wait in all, refusing at the address with the most, and forgets idle addresses', async () => {
    const all: Promise<unknown>[] = [];
    for (let address = 0; address < 30; address++) {
      for (let key = 0; key < 101; key++) all.push(run(String(key), `address ${address}`));
    }
    expect(queues.size).toBe(2_000);
    const newcomer = run('newcomer', 'elsewhere');
    const second = run('second', 'elsewhere');
    expect(queues.size).toBeLessThanOrEqual(2_000);
    await wait(200);
    expect(await Promise.all([newcomer, second])).toEqual(['newcomer', 'second']);
    await wait(2_000);
    await Promise.all(all);
    await wait(2_000);
    expect([queues.size, (queues as unknown as { queues: Map<string, unknown> }).queues.size]).toEqual([0, 0]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
