// Parsing and printing keeps all values, including any number. Tables, and random numbers at random positions compared
// digit by digit.
import fc from 'fast-check';
import { stopwatch } from '../../../test/support/cpu-time.js';
import { ExactNumber, isJsonObject, parseJson, printJson } from './json.js';

const again = (text: string): string => printJson(parseJson(text) as object);

describe('exact JSON', () => {
  it.each([
    '[9007199254740993]',
    '{"id":-123456789012345678901234567890}',
    '[0.1000000000000000055]',
    '[1e400,-1e400,1e-400]',
    '[3.14159265358979323846]',
    '{"a":[{"b":90071992547409931}],"c":"9007199254740993"}',
    '["a \\" 9007199254740993 ",9007199254740993]',
  ])('keeps the spelling of %s', (text) => {
    expect(again(text)).toBe(text);
  });

  it.each([
    ['[9007199254740992]', '[9007199254740992]'],
    ['[1.0,1e2,0.10,100000000000000000000]', '[1,100,0.1,100000000000000000000]'],
    ['[0.30000000000000004,5e-324,1.7976931348623157e308]', '[0.30000000000000004,5e-324,1.7976931348623157e+308]'],
    ['[-0,0e10]', '[0,0]'],
    ['["1234567890123456789","\\u0000"]', '["1234567890123456789","\\u0000"]'],
  ])('leaves %s to doubles', (text, printed) => {
    expect(again(text)).toBe(printed);
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it('becomes the nearest double elsewhere, and has no members', () => {
    const parsed = parseJson('[9007199254740993]') as unknown[];
    expect(parsed[0]).toBeInstanceOf(ExactNumber);
    expect([JSON.stringify(parsed), Object.keys(parsed[0] as object)]).toEqual(['[9007199254740992]', []]);
  });

  it('refuses what JSON.parse refuses', () => {
    for (const text of ['[12345678901234567890', '[01234567890123456789]', '[1.]', '']) {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    }
  });

  it('never mistakes a text for a number', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify({ value, big: 0 }).replace('"big":0', '"big":12345678901234567891');
        expect(again(text)).toBe(text);
      }),
    );
  });

  it('keeps the value of any number in any spelling', () => {
    const digits = (min: number) => fc.array(fc.nat(9), { minLength: min, maxLength: 25 }).map((all) => all.join(''));
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.integer({ min: 1, max: 9 }),
        digits(0),
        digits(0),
        fc.option(fc.integer({ min: -330, max: 330 })),
      )
      .map(
        ([sign, first, whole, fraction, power]) =>
          `${sign}${first}${whole}${fraction === '' ? '' : `.${fraction}`}${power === null ? '' : `e${power}`}`,
      );
    fc.assert(
      fc.property(number, (spelt) => {
        const printed = again(`[${spelt}]`).slice(1, -1);
        // Either in its original spelling, or the double of the same value.
        if (printed !== spelt) expect(exactly(printed)).toBe(exactly(spelt));
      }),
    );
  });

  it.each([
    ['zeros before a digit', `0.5${'0'.repeat(2e6)}1`],
    ['zeros behind', `1${'0'.repeat(2e6)}`],
    ['zeros only', `0.${'0'.repeat(2e6)}`],
    ['digits', '1234567890'.repeat(2e5)],
    ['a long power', `1e${'9'.repeat(2e6)}`],
    ['a long power of next to nothing', `1e-${'9'.repeat(2e6)}`],
  ])('takes time in proportion to a number’s length: %s', (_, number) => {
    const computedMs = stopwatch();
    parseJson(`{"a":${number}}`);
    expect(computedMs()).toBeLessThan(1_000);
  });
});

/** The value as a fraction of 10^500, of which all numbers of the property are whole multiples. */
function exactly(spelt: string): bigint {
  const [, sign, whole, fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e\+?(-?\d+))?$/.exec(spelt)!;
  const magnitude = BigInt(whole! + fraction) * 10n ** BigInt(500 - fraction.length + Number(power));
  return sign === '-' ? -magnitude : magnitude;
}

it('distinguishes a number of any size from an object', () => {
  const [number, object] = parseJson('[9007199254740993,{"a":1}]') as unknown[];
  expect([number, object].map(isJsonObject)).toEqual([false, true]);
});
