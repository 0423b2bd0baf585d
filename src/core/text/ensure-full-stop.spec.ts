// A foreign text ends a sentence with exactly one full stop. With, without, and with another sign.
import { ensureFullStop } from './ensure-full-stop.js';

it.each([
  ['The engine has no address.', 'The engine has no address.'],
  ['the search came to nothing', 'the search came to nothing.'],
  ['Is it there?', 'Is it there?'],
  ['', '.'],
])('%j is %j', (given, expected) => {
  expect(ensureFullStop(given)).toBe(expected);
});
