// Goal: what comes in pieces is kept whole, at a price that the cuts do not change. Method: a property over pieces;
// bytes that come one by one, and the memory that is then still held.
import fc from 'fast-check';
import { retainedBytes } from '../../../test/support/retained-bytes.js';
import { BytePieces } from './byte-pieces.js';

it('gives all pieces in their order, and lets them go', () => {
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

it('holds about as many bytes as came, though they came one by one', () => {
  const source = Buffer.alloc(1_000_000, 97);
  const pieces = new BytePieces();
  const before = retainedBytes();
  for (let place = 0; place < source.length; place++) pieces.add(source.subarray(place, place + 1));
  // Each as a piece of its own they hold a hundred times as many.
  expect(retainedBytes() - before).toBeLessThan(3 * source.length);
  expect(pieces.take().equals(source)).toBe(true);
});

it('does not copy large pieces before they are wanted', () => {
  const pieces = new BytePieces();
  const large = Buffer.alloc(64 * 1024);
  const before = retainedBytes();
  for (let count = 0; count < 2_048; count++) pieces.add(large);
  expect(retainedBytes() - before).toBeLessThan(large.length * 16);
});
