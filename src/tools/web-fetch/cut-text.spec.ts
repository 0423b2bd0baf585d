// Cuts texts at and beyond the bound, and cleans them.
import { cutText } from './cut-text.js';

const CUT = '\n\n[The rest of this page was left out.]';

it.each([
  ['at the bound', 'abcdefgh', 'abcdefgh'],
  ['past it', 'abcdefghi', `abcdefgh${CUT}`],
  ['far past it', 'a'.repeat(1_000_000), `aaaaaaaa${CUT}`],
  ['of two bytes a character, at it', 'ääää', 'ääää'],
  ['within a character', 'aääää', `aäää${CUT}`],
  ['within a pair', 'aaaaaa😀', `aaaaaa${CUT}`],
  ['half a pair', 'a\ud83d', 'a\ufffd'],
  ['with what is no text', 'a\0\x07b\tc\nd\x7f', 'ab\tc\nd'],
  ['nothing', '', ''],
])('%s', (_, text, cut) => {
  expect(cutText(text, 2)).toBe(cut);
});
