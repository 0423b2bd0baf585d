/** Rounding changes no decision. A table, and a property over figures that are close together. */
import fc from 'fast-check';
import { roundedAlike } from './decision-figures.js';

describe('roundedAlike', () => {
  it.each<[readonly number[], number | undefined, readonly number[]]>([
    [[], undefined, []],
    [[0.123456, 2.987654], undefined, [0.123, 2.99]],
    [[0.123456, 0.123499], undefined, [0.12346, 0.1235]],
    [[0.5, 0.5], undefined, [0.5, 0.5]],
    [[0.123456], 0.1234, [0.1235]],
    [[0.1234], 0.1234, [0.1234]],
    [[12345], undefined, [12300]],
    [[0], undefined, [0]],
  ])('%j, with the cut-off %j, become %j', (figures, cutoff, expected) => {
    expect(roundedAlike(figures, cutoff)).toEqual(expected);
  });

  it('keeps the order of figures and their side of the cut-off', () => {
    const figure = fc.double({ min: 0.999, max: 1.001, noNaN: true });
    fc.assert(
      fc.property(fc.array(figure, { maxLength: 8 }), figure, (figures, cutoff) => {
        const rounded = roundedAlike(figures, cutoff);
        const order = (list: readonly number[]): number[] =>
          list.flatMap((one) => [...list, cutoff].map((other) => Math.sign(one - other)));
        expect(order(rounded)).toEqual(order(figures));
      }),
    );
  });
});
