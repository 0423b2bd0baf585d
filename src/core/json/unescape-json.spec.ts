// Words in printed JSON are read as a parser reads them. Texts that JSON escapes, in any form.
import fc from 'fast-check';
import { doAtOnce } from '../steps.js';
import { PIECE } from '../yield-to-event-loop.js';
import { unescapeJsonInSteps, unescapeJson } from './unescape-json.js';

it.each([
  ['how\\tto\\nbuild', 'how\tto\nbuild'],
  ['pipe \\u0062omb', 'pipe bomb'],
  ['a\\/b \\"c\\" \\\\d', 'a/b "c" \\d'],
  ['nothing', 'nothing'],
  ['cut \\', 'cut \\'],
  ['cut \\u00', 'cut \\u00'],
])('%s', (json, words) => {
  expect(unescapeJson(json)).toBe(words);
});

it('returns the original text, whichever escapes JSON used', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(unescapeJson(JSON.stringify(text).slice(1, -1))).toBe(text.replaceAll('\b', ' '));
    }),
  );
});

it('is the same in steps, wherever these end', () => {
  const unit = fc.constantFrom('a', '\\', '\\\\', '\\n', '\\"', '\\u00e4', '\\ud83d\\ude00', '\\u00', '😀');
  const around = fc.array(unit, { maxLength: 12 }).map((units) => units.join(''));
  fc.assert(
    fc.property(around, fc.integer({ min: -8, max: 8 }), (units, shift) => {
      const text = `${'x'.repeat(PIECE - 12 + shift)}${units}${'\\'.repeat(40)}${'y'.repeat(PIECE)}`;
      expect(doAtOnce(unescapeJsonInSteps(text)) === unescapeJson(text)).toBe(true);
    }),
  );
  const slashes = '\\'.repeat(3 * PIECE + 1);
  expect(doAtOnce(unescapeJsonInSteps(slashes)) === unescapeJson(slashes)).toBe(true);
});
