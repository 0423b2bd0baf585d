// A sign-in is recognised by the browser that began it, for ten minutes, and by no other. Every character of the
// state is altered in turn.
import { beginSignOn, readSignOn, SIGN_ON_MS_MAX } from './sign-on-state.js';

const TOKEN = 'a'.repeat(43);
const NOW = Date.UTC(2030, 0, 31);

it('is read as it was begun, with a nonce and a verifier of its own', () => {
  const [one, other] = [beginSignOn(TOKEN, NOW), beginSignOn(TOKEN, NOW)];
  expect(readSignOn(TOKEN, one.state, NOW + SIGN_ON_MS_MAX - 1)).toEqual(one);
  expect(new Set([one, other].flatMap((secrets) => Object.values(secrets))).size).toBe(6);
  // RFC 7636 wants 43 characters of a verifier at least.
  expect([one.verifier, one.nonce].every((text) => /^[\w-]{43}$/.test(text))).toBe(true);
});

it('is nothing to another browser, after its time, or altered anywhere', () => {
  const { state } = beginSignOn(TOKEN, NOW);
  expect(readSignOn('b'.repeat(43), state, NOW)).toBeUndefined();
  expect(readSignOn(TOKEN, state, NOW + SIGN_ON_MS_MAX)).toBeUndefined();
  const altered = [...state].map((character, at) => state.slice(0, at) + (character === 'A' ? 'B' : 'A') + state.slice(at + 1));
  expect(altered.filter((one) => readSignOn(TOKEN, one, NOW) !== undefined)).toEqual([]);
  for (const one of ['', '.', `${state}.`, state.slice(1), `${'x'.repeat(22)}.zzzzzzzz.${'y'.repeat(43)}`])
    expect(readSignOn(TOKEN, one, NOW)).toBeUndefined();
}); // oxfmt-ignore
