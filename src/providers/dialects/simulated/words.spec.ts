// Goal: texts are cut without loss and never inside a character. Method: laws over any text.
import fc from 'fast-check';
import { splitEvery, splitWords } from './words.js';

const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '👋', 'ü'), maxLength: 700 });
const isWellFormed = (piece: string): boolean => piece === Buffer.from(piece).toString();

it('splits words with the space behind them', () => {
  expect(splitWords('  a bc\n\nd ')).toEqual(['  ', 'a ', 'bc\n\n', 'd ']);
  expect(splitWords('')).toEqual([]);
});

it('loses nothing, cuts no character and keeps pieces short', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 9 }), (whole, length) => {
      for (const pieces of [splitWords(whole), splitEvery(whole, length)]) {
        expect(pieces.join('')).toBe(whole);
        expect(pieces.every((piece) => piece !== '' && piece.length <= 257 && isWellFormed(piece))).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});
