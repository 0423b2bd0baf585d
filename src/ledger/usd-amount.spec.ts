// Goal: an amount given as a JSON number is taken exactly as its writer meant it, or refused.
// Method: a table of numbers as JSON.parse makes them, and the law that what is printed is read back.
import fc from 'fast-check';
import { usdNumber } from '../core/money/credits.js';
import { readUsdNumber } from './usd-amount.js';

describe('readUsdNumber', () => {
  it.each([
    ['0', 0n],
    ['-0', 0n],
    ['0.1', 100_000_000_000n],
    ['12.34', 12_340_000_000_000n],
    ['1e-7', 100_000n],
    ['0.000000000001', 1n],
    ['1.5e-11', 15n],
    ['-2.5', -2_500_000_000_000n],
    ['-1e-12', -1n],
    ['999999999999999', 999_999_999_999_999_000_000_000_000n],
  ])('reads %s', (json, amount) => {
    expect(readUsdNumber(JSON.parse(json))).toBe(amount);
  });

  it.each([
    ['13 decimals', 0.0000000000001],
    ['13 decimals written out', 0.1234567890123],
    ['sixteen whole digits', 1e15],
    ['a huge number', 1e300],
    ['more than a double holds', Infinity],
    ['no number', NaN],
    ['the smallest double', 5e-324],
    ['text', '1'],
    ['null', null],
    ['nothing', undefined],
    ['a list', [1]],
    ['a bigint', 1n],
  ])('refuses %s', (_, value) => {
    expect(readUsdNumber(value)).toBeUndefined();
  });

  it('reads back every amount of up to 15 digits that was printed', () => {
    const amounts = fc.bigInt({ min: -999_999_999_999_999n, max: 999_999_999_999_999n });
    fc.assert(
      fc.property(amounts, (amount) => expect(readUsdNumber(usdNumber(amount))).toBe(amount)),
      { numRuns: 200 },
    );
  });
});
