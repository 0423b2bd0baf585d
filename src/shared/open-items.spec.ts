// Goal: the slots hold what is open and nothing that was. Method: a run of takes and gives beside
// a set that does the same.
import fc from 'fast-check';
import { OpenItems } from './open-items.js';

describe('Slots', () => {
  it('hold what was taken and not given back, like a set', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 200 }), (steps) => {
        const slots = new OpenItems<object>();
        const held = new Map<object, number>();
        for (const step of steps) {
          const [oldest] = held.keys();
          if (step < 4 && oldest) {
            slots.remove(held.get(oldest)!);
            held.delete(oldest);
          } else {
            const value = { step };
            held.set(value, slots.add(value));
          }
          expect(slots.size).toBe(held.size);
          expect(new Set(slots)).toEqual(new Set(held.keys()));
        }
      }),
    );
  });

  it('use a place again that was given back', () => {
    const slots = new OpenItems<string>();
    const place = slots.add('a');
    slots.remove(place);
    expect([slots.add('b'), [...slots]]).toEqual([place, ['b']]);
  });
});
