// Goal: the price of bytes that come in pieces does not depend on the cuts. Method: bytes that come one by one, and the
// memory that is then still held.
import { retainedBytes } from '../../../test/support/retained-bytes.js';
import { BytePieces } from './byte-pieces.js';

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
