import fc from 'fast-check';
import { BytesInFlight } from './bytes-in-flight.js';
import type { Environment } from '../environment.js';

const of = (bytes: number): BytesInFlight => new BytesInFlight({ bodiesInFlightBytesMax: bytes } as Environment);

describe('BytesInFlight', () => {
  it('gives one key half, and the next a half of the rest', () => {
    const all = of(100);
    const [first, second] = [all.open('a'), all.open('b')];
    expect([first.take(50), first.take(1), all.open('a').take(1)]).toEqual([true, false, false]);
    expect([second.take(25), second.take(1)]).toEqual([true, false]);
  });

  it('returns what a request held, once', () => {
    const all = of(100);
    const held = all.open('a');
    held.take(50);
    held.release();
    held.release();
    expect([all.open('b').take(51), all.open('b').take(50)]).toEqual([false, true]);
  });

  it('takes nothing for a request that is over', () => {
    const all = of(100);
    const held = all.open('a');
    held.take(10);
    held.release();
    expect([held.take(1), all.held]).toEqual([false, 0]);
  });

  it('never exceeds the total, leaves space for every new key, and is empty again in the end', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 400 }))), (steps) => {
        const all = of(1_000);
        const held = steps.map(([key, bytes]) => {
          const one = all.open(`${key}`);
          return { one, bytes: one.take(bytes) ? bytes : 0 };
        });
        const total = held.reduce((sum, { bytes }) => sum + bytes, 0);
        expect(all.held).toBe(total);
        expect(total).toBeLessThan(1_000);
        // Six keys leave half of half of … all; the last may hold half of that.
        expect(1_000 - total).toBeGreaterThanOrEqual(1_000 / 2 ** 6);
        const last = all.open('new');
        expect(last.take(Math.floor((1_000 - total) / 2))).toBe(true);
        for (const { one } of [...held, { one: last }]) one.release();
        expect([all.held, all.open('a').take(500)]).toEqual([0, true]);
      }),
    );
  });
});
