// Files of many megabytes are made plain base64 in one turn of the event loop. The longest of hostile and common forms.
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import { plainBase64 } from './plain-base64.js';

const BYTES = Buffer.from(Array.from({ length: 6 * 1024 * 1024 }, (_, index) => (index * 2_654_435_761) >>> 24));
const PLAIN = BYTES.toString('base64');
/** Milliseconds for eight megabytes. */
const MS_MAX = 30;

it.each([
  ['plain', PLAIN],
  ['of addresses', BYTES.toString('base64url')],
  ['in lines', PLAIN.replaceAll(/.{76}/g, '$&\r\n')],
  ['of blanks', ' '.repeat(PLAIN.length)],
  ['of signs alone', '-_'.repeat(PLAIN.length / 2)],
  ['of escapes', '%2B%2f'.repeat(PLAIN.length / 6)],
  ['of percent signs', '%'.repeat(PLAIN.length)],
  ['of other letters', `${PLAIN}é`],
])('reads eight megabytes %s in time', async (_, data) => {
  expect(await fastest(() => computedMs(() => plainBase64(data)), MS_MAX)).toBeLessThan(MS_MAX);
});
