// Patterns of models match as documented. A table, and a regular expression for comparison.
import fc from 'fast-check';
import { matchesModel } from './model-pattern.js';

it.each([
  ['a/b', 'a/b', true],
  ['a/b', 'a/bc', false],
  ['a/b', 'a/b:free', false],
  ['a/*', 'a/b', true],
  ['a/*', 'a/', true],
  ['a/*', 'ab/c', false],
  ['*', 'any/thing', true],
  ['*:free', 'a/b:free', true],
  ['a/*-mini', 'a/big-mini', true],
  ['a/*-mini', 'a/-mini', true],
  ['a/*a', 'a/', false],
  ['a*b*c', 'axxbxxc', true],
  ['a*b*c', 'axxc', false],
  ['', '', true],
  ['', 'a/b', false],
])('%j fits %j: %s', (pattern, id, expected) => {
  expect(matchesModel(pattern, id)).toBe(expected);
});

it('agrees with a regular expression', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (pattern, id) => {
      const regex = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
      expect(matchesModel(pattern, id)).toBe(regex.test(id));
    }),
  );
});
