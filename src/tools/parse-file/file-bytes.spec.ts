import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { Cancellation } from '../../core/cancellation.js';
import { decoded, decodedLengthMax, hashInSlices, joinInSlices, piecesOf } from './file-bytes.js';

const { signal } = new Cancellation();
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

it('decodes base64 with any line breaks, and hashes it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 76 }), async (bytes, width) => {
      const base64 = Buffer.from(bytes)
        .toString('base64')
        .replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\r\n');
      expect(await hashInSlices(decoded(base64), signal)).toBe(sha256(bytes));
      expect(await joinInSlices(decoded(base64), decodedLengthMax(base64.length))).toEqual(bytes);
      expect(await hashInSlices(piecesOf(bytes), signal)).toBe(sha256(bytes));
    }),
  );
});

it('gives the same for more than one piece', async () => {
  const bytes = Buffer.alloc(2_000_001, 'abc');
  const base64 = `\n${bytes.toString('base64')}`;
  expect(await hashInSlices(decoded(base64), signal)).toBe(sha256(bytes));
  // `toEqual` takes seconds for two million bytes.
  expect(bytes.equals(await joinInSlices(decoded(base64), decodedLengthMax(base64.length)))).toBe(true);
});

it('ends with its caller', async () => {
  const left = new Cancellation();
  left.abort(new Error('left'));
  await expect(hashInSlices(decoded('YWJj'), left.signal)).rejects.toThrow('left');
});
