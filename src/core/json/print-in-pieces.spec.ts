/** Text printed in pieces equals text printed at once, and no piece is long. Properties over any JSON. */
import fc from 'fast-check';
import { parseJson, printJson, weigh } from './json.js';
import type { Json } from './json.js';
import { printInPieces } from './print-in-pieces.js';

const withHoles = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom(null, true, 0, 1.5e300, '', 'a"b\\c\nd', '😀', '\ud800', 'é'.repeat(90)),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(tie('value'), { maxLength: 12 }),
    fc.dictionary(fc.string({ maxLength: 6 }), fc.option(tie('value'), { nil: undefined }), { maxKeys: 6 }),
  ),
})).value;

describe('printInPieces', () => {
  it('prints the same as printJson, in pieces of any length', () => {
    fc.assert(
      fc.property(fc.array(withHoles), fc.integer({ min: 1, max: 400 }), (value, characters) => {
        expect([...printInPieces(value, characters)].join('')).toBe(printJson(value));
      }),
      { numRuns: 500 },
    );
  });

  it('cuts no surrogate pair', () => {
    const text = `a${'😀'.repeat(50)}`;
    for (const characters of [1, 2, 3, 7]) {
      for (const piece of printInPieces([text], characters)) expect((piece as string).isWellFormed()).toBe(true);
    }
  });

  it('keeps pieces short for one long text, list or object', () => {
    const values = [
      'x'.repeat(10_000),
      Array.from({ length: 500 }, () => ({ role: 'user', content: 'y'.repeat(20) })),
      Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, 'z'.repeat(20)])),
    ];
    for (const value of values) {
      const pieces = [...printInPieces({ a: [[value], value] }, 300)];
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(500);
    }
  });

  it('prints numbers that a double cannot hold in their original spelling', () => {
    const text = `[${'12345678901234567890,'.repeat(60)}1e400]`;
    expect([...printInPieces(parseJson(text) as Json, 100)].join('')).toBe(text);
  });
});

describe('weigh', () => {
  it('distinguishes values above the limit from shorter ones', () => {
    expect(weigh({ text: 'x'.repeat(1_000) }, 1_000)).toBeGreaterThanOrEqual(1_000);
    expect(weigh({ text: 'x'.repeat(900) }, 1_000)).toBeLessThan(1_000);
    const list = Array.from({ length: 200 }, () => 1);
    expect(weigh(list, 1_000)).toBeGreaterThanOrEqual(1_000);
    expect(weigh(undefined, 1_000)).toBeLessThan(1_000);
  });
});
