// Keys that a person made up are distinguished from random ones, of which hardly any count as weak. A table of both; a
// thousand random keys of each usual form.
import { randomBytes } from 'node:crypto';
import { looksGuessable } from './weak-key.js';

it.each([
  'changeme-changeme',
  'CHANGE_ME_CHANGE_ME',
  'change-me-please-1',
  'aaaaaaaaaaaaaaaaaaaaaaaa',
  'aaaaaaaaaaaaaaaa',
  'sk-fl-v1-aaaaaaaaaaaaaaaaaaaa',
  `sk-fl-v1-${'0'.repeat(64)}`,
  'abababababababababab',
  '0123456789012345',
  'abcdefghijklmnopqrstuvwxyz',
  '9876543210fedcba',
  'password12345678',
  'management-key-0123456789',
  'my-secret-admin-key',
  'test-management-key-0123456789',
  'qwertyqwertyqwerty',
  '                ',
])('%s looks guessable', (key) => {
  expect(looksGuessable(key)).toBe(true);
});

it.each(['correct horse battery staple', 'secret-9f2c1e7ab5d80463', 'Schlüssel für Übungsgerät №7'])(
  '%s does not',
  (key) => {
    expect(looksGuessable(key)).toBe(false);
  },
);

it.each([
  ['32 hexadecimal digits', () => randomBytes(16).toString('hex')],
  ['16 characters of base64', () => randomBytes(12).toString('base64')],
  ['a generated key', () => `sk-fl-v1-${randomBytes(32).toString('hex')}`],
])('treats five of 1,000 keys of %s as guessable at most', (_, draw) => {
  const weak = Array.from({ length: 1_000 }, draw).filter(looksGuessable);
  // Three in ten thousand of the shortest keys are: a limit of one in a thousand would fail in every thirtieth run.
  expect(weak.length).toBeLessThanOrEqual(5);
});
