// The items contain exactly what is open. Random additions and removals, compared with a set.
import fc from 'fast-check';
import { OpenItems } from './open-items.js';

describe('OpenItems', () => {
  it('contain what was added and not removed, like a set', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 200 }), (steps) => {
        const open = new OpenItems<object>();
        const held = new Map<object, number>();
        for (const step of steps) {
          const [oldest] = held.keys();
          if (step < 4 && oldest) {
            open.remove(held.get(oldest)!);
            held.delete(oldest);
          } else {
            const value = { step };
            held.set(value, open.add(value));
          }
          expect(open.size).toBe(held.size);
          expect(new Set(open)).toEqual(new Set(held.keys()));
        }
      }),
    );
  });

  it('reuse the index of a removed item', () => {
    const open = new OpenItems<string>();
    const index = open.add('a');
    open.remove(index);
    expect([open.add('b'), [...open]]).toEqual([index, ['b']]);
  });
});
