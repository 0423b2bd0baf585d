// The cost of bytes in pieces does not depend on the boundaries. Bytes that arrive one by one, and the memory held
// afterwards.
import { retainedBytes } from '../../../test/support/retained-bytes.js';
import { BytePieces } from './byte-pieces.js';

it('holds about as many bytes as arrived, even one by one', () => {
  const source = Buffer.alloc(1_000_000, 97);
  const pieces = new BytePieces();
  const before = retainedBytes();
  for (let index = 0; index < source.length; index++) pieces.add(source.subarray(index, index + 1));
  // As separate pieces they would take a hundred times as many.
  expect(retainedBytes() - before).toBeLessThan(3 * source.length);
  expect(pieces.take().equals(source)).toBe(true);
});

it('does not copy large pieces before they are needed', () => {
  const pieces = new BytePieces();
  const large = Buffer.alloc(64 * 1024);
  const before = retainedBytes();
  for (let count = 0; count < 2_048; count++) pieces.add(large);
  expect(retainedBytes() - before).toBeLessThan(large.length * 16);
});
