// A share with many items delays no other and excludes no other, and no item is lost or overtaken within its share.
// Random sequences of additions and removals, compared with a list.
import fc from 'fast-check';
import { FairQueue } from './fair-queue.js';

const add = (queue: FairQueue<string>, share: string, count: number): void => {
  for (let index = 0; index < count; index++) expect(queue.add(share, `${share}${index}`)).toBe(true);
};

describe('FairQueue', () => {
  it('takes one of each share in turn, and continues with the next share', () => {
    const queue = new FairQueue<string>(100);
    add(queue, 'a', 5);
    add(queue, 'b', 2);
    expect(queue.take(3)).toEqual(['a0', 'b0', 'a1']);
    add(queue, 'c', 1);
    expect(queue.take(10)).toEqual(['b1', 'a2', 'c0', 'a3', 'a4']);
    expect(queue.take(10)).toEqual([]);
  });

  it('gives a share half of the entries, the next half of the rest, and the last share one', () => {
    const queue = new FairQueue<string>(8);
    add(queue, 'a', 4);
    expect(queue.add('a', 'too much')).toBe(false);
    add(queue, 'b', 2);
    expect(queue.add('b', 'too much')).toBe(false);
    add(queue, 'c', 1);
    add(queue, 'd', 1);
    expect(queue.add('e', 'full')).toBe(false);
    expect(queue.size).toBe(8);
    queue.take(1);
    add(queue, 'e', 1);
  });

  it('loses nothing, keeps the order of each share, and delays a share by at most one item of each other', () => {
    const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.nat(4)), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (all) => {
        const queue = new FairQueue<string>(1_000);
        const waiting: string[] = [];
        for (const [index, step] of all.entries()) {
          if (typeof step === 'string') {
            expect(queue.add(step, `${step}${index}`)).toBe(true);
            waiting.push(`${step}${index}`);
            continue;
          }
          const taken = queue.take(step);
          expect(taken).toHaveLength(Math.min(step, waiting.length));
          const counts = new Map<string, number>();
          for (const item of taken) {
            expect(waiting.find(([share]) => share === item[0])).toBe(item);
            waiting.splice(waiting.indexOf(item), 1);
            counts.set(item[0]!, (counts.get(item[0]!) ?? 0) + 1);
          }
          // A share that still waits has had its turns, as many as any other but one.
          const most = Math.max(0, ...counts.values());
          for (const [share] of waiting) expect(counts.get(share!) ?? 0).toBeGreaterThanOrEqual(most - 1);
          expect(queue.size).toBe(waiting.length);
        }
      }),
    );
  });
});
