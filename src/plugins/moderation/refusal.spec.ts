// A hit shows at most a hundred characters of the flagged text.
import { metadataOf } from './refusal.js';

const shown = (words: string): string =>
  metadataOf([{ category: 'hate', words }], 'acme/one')['flagged_input'] as string;

it.each([
  ['as it is', 'x'.repeat(100), 'x'.repeat(100)],
  ['without its middle', `${'a'.repeat(60)}${'b'.repeat(60)}`, `${'a'.repeat(49)}…${'b'.repeat(49)}`],
  ['whole characters', '😀'.repeat(101), `${'😀'.repeat(49)}…${'😀'.repeat(49)}`],
  ['the ends of what is long', `a${'x'.repeat(1_000_000)}b`, `a${'x'.repeat(48)}…${'x'.repeat(48)}b`],
])('shows %s', (_, words, expected) => {
  expect(shown(words)).toBe(expected);
});

it('has the four members of the contract', () => {
  const flags = [
    { category: 'hate', words: '' },
    { category: 'violence', words: 'that' },
  ] as const;
  expect(metadataOf(flags, 'acme/one')).toEqual({
    reasons: ['hate', 'violence'],
    flagged_input: 'that',
    provider_name: 'Fairlead',
    model_slug: 'acme/one',
  });
});
