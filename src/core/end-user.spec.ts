// An id counts in characters, not in units of UTF-16, and a longer one becomes a short one that no other has.
import { shortEndUser } from './end-user.js';

it.each(['', 'u', 'u'.repeat(256), '🙂'.repeat(256), '\u0000\n', `${'🙂'.repeat(255)}é`])('keeps %.9s', (id) => {
  expect(shortEndUser(id)).toBe(id);
});

it.each(['u'.repeat(257), '🙂'.repeat(257), `${'🙂'.repeat(255)}ab`, 'u'.repeat(1e6)])('shortens %.9s', (id) => {
  const short = shortEndUser(id);
  expect(short).toMatch(/^[0-9a-f]{64}$/);
  expect(shortEndUser(short)).toBe(short);
  expect(shortEndUser(`${id}!`)).not.toBe(short);
});
