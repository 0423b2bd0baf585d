// Amounts pass exactly between code and store: the strings that PostgreSQL returns for numeric(38,12), and the way
// back.
import { usdColumn } from './usd-column.js';

describe('usdColumn', () => {
  it.each([
    ['0.000000000000', 0n],
    ['10.000000000000', 10_000_000_000_000n],
    ['-0.000000000001', -1n],
    ['123456789012345.123456789012', 123_456_789_012_345_123_456_789_012n],
    [null, null],
  ])('reads %s', (stored, amount) => {
    expect(usdColumn.from(stored)).toBe(amount);
  });

  it.each([
    [0n, '0'],
    [1n, '0.000000000001'],
    [-10_500_000_000_000n, '-10.5'],
    [null, null],
    [undefined, undefined],
  ])('writes %s', (amount, stored) => {
    expect(usdColumn.to(amount)).toBe(stored);
  });

  it('does not skip an amount it cannot read', () => {
    expect(() => usdColumn.from('1234567890123456.000000000000')).toThrow(RangeError);
  });
});
