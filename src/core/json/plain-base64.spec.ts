// Goal: base64 goes out as every vendor takes it, and what is so already is not touched. Method: bytes in the forms in
// which programs write them, read back.
import { plainBase64 } from './plain-base64.js';

const BYTES = Buffer.from('fbff3efe0102030405060708090a', 'hex');
const PLAIN = BYTES.toString('base64');

it('leaves plain base64 as it is', () => {
  expect(plainBase64(PLAIN)).toBe(PLAIN);
  // These texts are no base64 by any rule: the reader refuses them.
  for (const other of ['AA\u00a0A', 'AA\u2028A-', '-\u{1F600}']) expect(plainBase64(other)).toBe(other);
  // Anthropic, OpenAI and Google refuse groups without padding.
  expect(plainBase64('AA')).toBe('AA==');
  expect(plainBase64('')).toBe('');
});

it.each([
  ['line breaks', `${PLAIN.slice(0, 4)}\r\n${PLAIN.slice(4, 8)}\n ${PLAIN.slice(8)}\n`],
  ['the alphabet of addresses, without an end', BYTES.toString('base64url')],
  ['escapes of an address', encodeURIComponent(PLAIN)],
  ['escapes in small letters', PLAIN.replaceAll('+', '%2b').replaceAll('/', '%2f').replaceAll('=', '%3d')],
  ['escapes among line breaks', `${encodeURIComponent(PLAIN)}%0D%0a%20`],
])('reads %s', (_, data) => {
  expect(data).not.toBe(PLAIN);
  expect(plainBase64(data)).toBe(PLAIN);
});

it('keeps what it does not know, and fills up groups', () => {
  expect(plainBase64('A!%2DA\n')).toBe('A!%2DA==');
  expect(plainBase64('A%2')).toBe('A%2=');
  expect(plainBase64('-\n\0')).toBe('+\0==');
});
