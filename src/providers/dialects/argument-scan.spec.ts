// Goal: the end of an argument object is found at the right character, and its beginning after any whitespace, wherever
// the pieces are cut. Method: table, and a property over generated JSON against the object itself.
import fc from 'fast-check';
import { ArgumentScan } from './argument-scan.js';

const taken = (...pieces: string[]): string => {
  const scan = new ArgumentScan();
  return pieces.map((piece) => scan.take(piece)).join('');
};

describe('argument scan', () => {
  it.each([
    ['{}', '{}'],
    ['{} ', '{}'],
    [' {"a":"}"}x', '{"a":"}"}'],
    ['{"a":"\\"}"}{', '{"a":"\\"}"}'],
    ['{"a":[{},{}]}', '{"a":[{},{}]}'],
    ['{"a":', '{"a":'],
    ['[1]{}', '[1]{}'],
    [' x {}', 'x {}'],
    ['', ''],
    [' \t\r\n', ''],
  ])('takes of %j what is %j', (text, expected) => {
    expect(taken(text)).toBe(expected);
    expect(taken(...text)).toBe(expected);
  });

  it('takes exactly the object out of any cut', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(object, fc.string(), fc.nat(), fc.nat(), (value, behind, first, second) => {
        const json = JSON.stringify(value);
        const text = json + behind;
        const [left, right] = [first % (text.length + 1), second % (text.length + 1)].sort((a, b) => a - b);
        expect(taken(text.slice(0, left), text.slice(left, right), text.slice(right))).toBe(json);
      }),
      { numRuns: 200 },
    );
  });
});
