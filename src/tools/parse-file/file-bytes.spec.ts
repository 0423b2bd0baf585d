import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { Cancellation } from '../../core/cancellation.js';
import { decoded, decodedLengthMax, hashInTurns, joinInTurns, piecesOf } from './file-bytes.js';

const { signal } = new Cancellation();
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

it('decodes what base64 says, however its lines are broken, and hashes it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 76 }), async (bytes, width) => {
      const base64 = Buffer.from(bytes)
        .toString('base64')
        .replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\r\n');
      expect(await hashInTurns(decoded(base64), signal)).toBe(sha256(bytes));
      expect(await joinInTurns(decoded(base64), decodedLengthMax(base64.length))).toEqual(bytes);
      expect(await hashInTurns(piecesOf(bytes), signal)).toBe(sha256(bytes));
    }),
  );
});

it('is the same for what is longer than one piece', async () => {
  const bytes = Buffer.alloc(2_000_001, 'abc');
  const base64 = `\n${bytes.toString('base64')}`;
  expect(await hashInTurns(decoded(base64), signal)).toBe(sha256(bytes));
  // Not by `toEqual`, which takes seconds for two million bytes.
  expect(bytes.equals(await joinInTurns(decoded(base64), decodedLengthMax(base64.length)))).toBe(true);
});

it('ends with its caller', async () => {
  const left = new Cancellation();
  left.abort(new Error('left'));
  await expect(hashInTurns(decoded('YWJj'), left.signal)).rejects.toThrow('left');
});
