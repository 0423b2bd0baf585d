// Goal: words in printed JSON are read as whoever parses it reads them. Method: texts that JSON escapes, in any way.
import fc from 'fast-check';
import { plainWords } from './plain-words.js';

it.each([
  ['how\\tto\\nbuild', 'how\tto\nbuild'],
  ['pipe \\u0062omb', 'pipe bomb'],
  ['a\\/b \\"c\\" \\\\d', 'a/b "c" \\d'],
  ['nothing', 'nothing'],
  ['cut \\', 'cut \\'],
  ['cut \\u00', 'cut \\u00'],
])('%s', (json, words) => {
  expect(plainWords(json)).toBe(words);
});

it('is the text itself, whatever JSON made of it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(plainWords(JSON.stringify(text).slice(1, -1))).toBe(text.replaceAll('\b', ' '));
    }),
  );
});
