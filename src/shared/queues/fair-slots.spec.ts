/**
 * Slots are limited in total and per key; the key with the fewest is next, a key without any need not wait for a key
 * with many; no waiter waits for ever, or is forgotten. A few slots, entered and left by hand, and random endings.
 */
import fc from 'fast-check';
import { Cancellation } from '../../core/cancellation.js';
import { FairSlots, type FairSlotsOptions } from './fair-slots.js';

const OPTIONS: FairSlotsOptions = {
  slots: 3,
  slotsPerKey: 2,
  firstSlots: 0,
  waiting: 8,
  waitingPerKey: 3,
  waitMs: 10_000,
};
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Functions that release the taken slots. */
const leaving = new Set<() => void>();
// A waiter has a timer of ten seconds, which would keep the worker alive. All enter and leave in turn.
afterEach(async () => {
  while (leaving.size > 0) {
    for (const leave of leaving) leave();
    await settle();
  }
});

function bench(options: Partial<FairSlotsOptions> = {}) {
  const slots = new FairSlots({ ...OPTIONS, ...options });
  const inside: string[] = [];
  const enter = async (key: string, signal = new Cancellation()) => {
    const leave = await slots.enter(key, signal);
    if (!leave) return undefined;
    inside.push(key);
    const leaveOnce = (): void => {
      if (leaving.delete(leaveOnce)) leave();
    };
    leaving.add(leaveOnce);
    return leaveOnce;
  };
  return { slots, inside, enter };
}

it('admits as many as there are slots, fewer of one key, and then the key with the fewest', async () => {
  const { inside, enter } = bench();
  const first = await enter('a');
  await enter('a');
  void enter('a');
  const third = await enter('b');
  void enter('b');
  void enter('c');
  await settle();
  expect(inside).toEqual(['a', 'a', 'b']);
  third!();
  await settle();
  // Neither the first, whose key is full, nor the next, whose key had its turn.
  expect(inside.slice(3)).toEqual(['c']);
  first!();
  await settle();
  expect(inside.slice(4)).toEqual(['b']);
});

it('admits a key without a slot in addition to the others, one of it at a time', async () => {
  const { inside, enter } = bench({ firstSlots: 2 });
  const [first] = [await enter('a'), await enter('a'), await enter('b')];
  void enter('b');
  const third = await enter('c');
  void enter('c');
  const fourth = await enter('d');
  void enter('e');
  await settle();
  expect(inside).toEqual(['a', 'a', 'b', 'c', 'd']);
  // One of five has left: that slot is for a key without any, and for no other.
  first!();
  await settle();
  expect(inside.slice(5)).toEqual(['e']);
  // The key itself has none left, and its next one is its first again.
  third!();
  await settle();
  expect(inside.slice(6)).toEqual(['c']);
  fourth!();
  await settle();
  expect(inside).toHaveLength(7);
});

it('admits a late key before the waiting ones of two others, where each has one at a time', async () => {
  const { inside, enter } = bench({ slots: 2, slotsPerKey: 1 });
  const leaves = [await enter('a'), await enter('b')];
  for (const key of ['a', 'a', 'b', 'b']) void enter(key).then((leave) => leaves.push(leave));
  void enter('late');
  await settle();
  for (const leave of leaves.splice(0)) leave!();
  await settle();
  expect(inside).toEqual(['a', 'b', 'late', 'a']);
  leaves.pop()!();
  await settle();
  // Nor does one of them get two before the other.
  expect(inside.slice(4)).toEqual(['b']);
});

it('refuses when too many of the key wait, and leaves each key half of the free entries', async () => {
  const { enter } = bench({ slots: 1 });
  await enter('a');
  const waits = async (key: string): Promise<number> => {
    for (let count = 0; ; count++) {
      const refused = await Promise.race([enter(key).then(() => true), settle().then(() => false)]);
      if (refused) return count;
    }
  };
  expect([await waits('a'), await waits('b'), await waits('c'), await waits('d')]).toEqual([3, 3, 1, 1]);
});

it('refuses a waiter after the longest wait, and frees its entry', async () => {
  const { inside, enter } = bench({ slots: 1, waitMs: 20 });
  const leave = await enter('a');
  expect(await enter('b')).toBeUndefined();
  leave!();
  expect(await enter('c')).toBeDefined();
  expect(inside).toEqual(['a', 'c']);
});

it('releases a waiter at its abort', async () => {
  const { enter } = bench({ slots: 1 });
  await enter('a');
  const signal = new Cancellation();
  const waiting = enter('b', signal);
  signal.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await expect(enter('b', signal)).rejects.toThrow('gone');
});

it('never exceeds its slots, leaves no admissible waiter waiting, and is empty again in the end', async () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    ends: fc.constantFrom('leaves', 'aborts'),
    at: fc.nat(5),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { slots, enter } = bench({ firstSlots: 1 });
      const isLeftOut = (): boolean => slots['queue'].some(({ key }) => slots['mayRun'](slots['shares'].get(key)!));
      let now = 0;
      const ofKey = new Map<string, number>();
      const all = steps.map(async ({ key, ends, at }) => {
        const signal = new Cancellation();
        if (ends === 'aborts') setImmediate(() => signal.abort(new Error('gone')));
        const leave = await enter(key, signal).catch(() => undefined);
        if (!leave) return;
        ofKey.set(key, (ofKey.get(key) ?? 0) + 1);
        expect(++now).toBeLessThanOrEqual(OPTIONS.slots + 1);
        expect(isLeftOut()).toBe(false);
        expect(ofKey.get(key)).toBeLessThanOrEqual(OPTIONS.slotsPerKey);
        for (let turn = 0; turn < at; turn++) await settle();
        now--;
        ofKey.set(key, ofKey.get(key)! - 1);
        leave();
        expect(isLeftOut()).toBe(false);
      });
      await Promise.all(all);
      expect(slots).toMatchObject({ running: 0, queue: [], shares: new Map() });
    }),
    { numRuns: 100 },
  );
});
