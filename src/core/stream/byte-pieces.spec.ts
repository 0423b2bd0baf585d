// Pieces are joined without loss. A property over pieces.
import fc from 'fast-check';
import { BytePieces } from './byte-pieces.js';

it('returns all pieces in order, and releases them', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 5 }), { maxLength: 3_000, size: 'max' }), (parts) => {
      const pieces = new BytePieces();
      for (const part of parts) pieces.add(part);
      const whole = Buffer.concat(parts);
      expect(pieces.bytes).toBe(whole.length);
      expect(pieces.take().equals(whole)).toBe(true);
      expect([pieces.bytes, pieces.take().length]).toEqual([0, 0]);
    }),
    { numRuns: 20 },
  );
});
