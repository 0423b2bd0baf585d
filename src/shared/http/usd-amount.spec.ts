// An amount given as a JSON number is read exactly, or refused. A table of numbers as in bodies, and the property that
// printed amounts are read back.
import fc from 'fast-check';
import { parseJson } from '../../core/json/json.js';
import { formatUsd, usdNumber } from '../../core/money/credits.js';
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
    ['1e2', 100_000_000_000_000n],
    ['1.50E+1', 15_000_000_000_000n],
    // From here on beyond the precision of a double.
    ['123456789012345.123456789012', 123_456_789_012_345_123_456_789_012n],
    ['-999999999999999.999999999999', -999_999_999_999_999_999_999_999_999n],
    ['1234567.1234567890120000', 1_234_567_123_456_789_012n],
    ['12345678901234567890e-10', 1_234_567_890_123_456_789_000n],
    ['0.0123456789012345678e+9', 12_345_678_901_234_567_800n],
    ['12345678901234567890e-12', 12_345_678_901_234_567_890n],
  ])('reads %s', (json, amount) => {
    expect(readUsdNumber(parseJson(json))).toBe(amount);
  });

  it.each([
    ['13 decimals', 0.0000000000001],
    ['13 decimals written out', 0.1234567890123],
    ['13 decimals past a double', parseJson('1234567.1234567890123')],
    ['18 decimals by an exponent', parseJson('1234567890123456789e-18')],
    ['sixteen whole digits', 1e15],
    ['sixteen whole digits past a double', parseJson('1234567890123456.7')],
    ['a number past every double', parseJson('1e400')],
    ['a number below every double', parseJson('1e-400')],
    ['an exponent past every number', parseJson(`12345678901234567e${'9'.repeat(40)}`)],
    ['an exponent below every number', parseJson(`12345678901234567e-${'9'.repeat(40)}`)],
    ['a spelling longer than any amount needs', parseJson(`1.5${'0'.repeat(62)}1`)],
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

  it('reads every amount from its decimal text', () => {
    const amounts = fc.bigInt({ min: -(10n ** 27n) + 1n, max: 10n ** 27n - 1n });
    fc.assert(
      fc.property(amounts, (amount) => expect(readUsdNumber(parseJson(formatUsd(amount)))).toBe(amount)),
      { numRuns: 500 },
    );
  });
});
