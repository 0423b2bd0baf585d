// Goal: look-ups of an address begin one at a time and five a second, nobody waits longer than two seconds, a burst
// holds up nobody outside of it, and neither keys nor addresses without end fill the memory. Method: look-ups that end
// when they are told to; time moved by jest's timers.
import { Clock } from '../core/time.js';
import { SlowLanes } from './slow-lane.js';

class TimersClock extends Clock {
  override now(): number {
    return Date.now();
  }
}

describe('SlowLanes', () => {
  let lanes: SlowLanes;
  let began: { readonly key: string; readonly atMs: number }[];
  let ends: (() => void)[];
  let start: number;
  beforeEach(() => {
    jest.useFakeTimers();
    start = Date.now();
    lanes = new SlowLanes(new TimersClock());
    began = [];
    ends = [];
  });
  afterEach(() => jest.useRealTimers());

  const run = (key: string, address = 'one'): Promise<string | undefined> =>
    lanes.run(address, key, async () => {
      began.push({ key, atMs: Date.now() - start });
      return key;
    });
  const runLong = (key: string, address = 'one'): Promise<string | undefined> =>
    lanes.run(address, key, async () => {
      began.push({ key, atMs: Date.now() - start });
      await new Promise<void>((resolve) => ends.push(resolve));
      return key;
    });
  const wait = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

  it('begins five a second, and lets go who has waited for two', async () => {
    const all = Promise.all(Array.from({ length: 30 }, (_, key) => run(String(key))));
    await wait(2_000);
    const found = await all;
    expect(began.map(({ atMs }) => atMs)).toEqual([0, 200, 400, 600, 800, 1_000, 1_200, 1_400, 1_600, 1_800]);
    expect(found.filter((key) => key !== undefined)).toHaveLength(10);
    expect(lanes.size).toBe(0);
    // Also over the pause: it is not five at once after a second without.
    await Promise.all([wait(10_000), run('later')]);
    const more = Promise.all([run('a'), run('b')]);
    await wait(200);
    await more;
    expect(began.slice(-2).map(({ atMs }) => atMs)).toEqual([12_000, 12_200]);
  });

  it('begins none while another is under way, and goes on whether it was found, or its store failed', async () => {
    const first = runLong('slow');
    const second = run('next');
    await wait(1_000);
    expect(began.map(({ key }) => key)).toEqual(['slow']);
    ends[0]!();
    await wait(0);
    expect([await first, await second]).toEqual(['slow', 'next']);
    const failing = lanes.run('one', 'x', () => Promise.reject(new Error('the store is gone')));
    const refused = expect(failing).rejects.toThrow('the store is gone');
    await wait(200);
    await refused;
    const after = run('after');
    await wait(200);
    expect(await after).toBe('after');
  });

  it('lets by turns who came last and who has waited longest begin: a burst holds up nobody outside of it', async () => {
    await run('once');
    const all = [run('first'), run('second'), ...Array.from({ length: 50 }, (_, key) => run(`burst ${key}`))];
    await wait(100);
    all.push(run('last'));
    await wait(900);
    expect(began.map(({ key }) => key)).toEqual(['once', 'first', 'last', 'second', 'burst 49', 'burst 0']);
    await wait(2_000);
    await Promise.all(all);
  });

  it('has requests of one key share a turn', async () => {
    await run('before');
    const both = [run('key'), run('key'), run('key')];
    expect(lanes.size).toBe(1);
    await wait(200);
    expect(await Promise.all(both)).toEqual(['key', 'key', 'key']);
  });

  it('keeps addresses apart', async () => {
    const found = Promise.all([run('a', 'one'), run('b', 'two'), run('c', 'three')]);
    await wait(0);
    expect(await found).toEqual(['a', 'b', 'c']);
  });

  it('lets no more than a hundred of an address wait, and refuses the one that has waited longest', async () => {
    const first = run('first');
    const all = Array.from({ length: 101 }, (_, key) => run(String(key)));
    expect([await first, lanes.size]).toEqual(['first', 100]);
    expect(await all[0]).toBeUndefined();
    await wait(400);
    expect([await all[1], await all[100]]).toEqual(['1', '100']);
    await wait(2_000);
    await Promise.all(all);
  });

  it('lets no more than two thousand wait in all, at whose expense there are most, and forgets idle addresses', async () => {
    const all: Promise<unknown>[] = [];
    for (let address = 0; address < 30; address++) {
      for (let key = 0; key < 101; key++) all.push(run(String(key), `address ${address}`));
    }
    expect(lanes.size).toBe(2_000);
    const newcomer = run('newcomer', 'elsewhere');
    const second = run('second', 'elsewhere');
    expect(lanes.size).toBeLessThanOrEqual(2_000);
    await wait(200);
    expect(await Promise.all([newcomer, second])).toEqual(['newcomer', 'second']);
    await wait(2_000);
    await Promise.all(all);
    await wait(2_000);
    expect([lanes.size, (lanes as unknown as { lanes: Map<string, unknown> }).lanes.size]).toEqual([0, 0]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
