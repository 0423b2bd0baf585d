// Prices of LiteLLM become prices of the catalog, digit by digit, for all amounts that both can represent.
import fc from 'fast-check';
import { perMillion } from './decimal.js';

describe('a price a token as one a million tokens', () => {
  it.each([
    [0.0000025, '2.5'],
    [2.5e-6, '2.5'],
    [1.5e-7, '0.15'],
    [3e-7, '0.3'],
    ['1.25e-06', '1.25'],
    ['0.000015', '15'],
    [0, '0'],
    ['0.0', '0'],
    [1, '1000000'],
    ['0.000421', '421'],
    [1e-12, '0.000001'],
    ['00.000003', '3'],
  ])('%p is %s', (value, text) => expect(perMillion(value)).toBe(text));

  it.each([1e-13, -1, '-0.1', 'free', '', true, null, undefined, Number.NaN, Infinity, '1e999', {}, '0x1', 1e30])(
    '%p is no price',
    (value) => expect(perMillion(value)).toBeUndefined(),
  );

  it('loses nothing, in any notation', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999 }), (micro) => {
        const expected = (micro / 1e6).toFixed(6).replace(/\.?0+$/, '');
        expect(perMillion(`${micro}e-12`)).toBe(expected);
        expect(perMillion(`0.${String(micro).padStart(12, '0')}`)).toBe(expected);
      }),
    );
  });
});
