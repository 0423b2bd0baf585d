// Goal: the end of an argument object is found at the right character, wherever the pieces are cut. Method: table, and
// a property over generated JSON against the known length.
import fc from 'fast-check';
import { ArgumentScan } from './argument-scan.js';

const taken = (...pieces: string[]): number => {
  const scan = new ArgumentScan();
  return pieces.reduce((sum, piece) => sum + scan.take(piece), 0);
};

describe('argument scan', () => {
  it.each([
    ['{}', 2],
    ['{} ', 2],
    [' {"a":"}"}x', 10],
    ['{"a":"\\"}"}{', 11],
    ['{"a":[{},{}]}', 13],
    ['{"a":', 5],
    ['[1]{}', 5],
    ['x{}', 3],
    ['', 0],
  ])('takes of %s the first %d characters', (text, expected) => {
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
        expect(taken(text.slice(0, left), text.slice(left, right), text.slice(right))).toBe(json.length);
      }),
      { numRuns: 200 },
    );
  });
});
