// Goal: what others say ends a sentence of ours with one full stop. Method: with, without, and with another sign.
import { ended } from './ended.js';

it.each([
  ['The engine has no address.', 'The engine has no address.'],
  ['the search came to nothing', 'the search came to nothing.'],
  ['Is it there?', 'Is it there?'],
  ['', '.'],
])('%j is %j', (said, told) => {
  expect(ended(said)).toBe(told);
});
