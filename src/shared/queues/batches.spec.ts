// The parts of a list together are that list. Lists of about the size of a part.
import { batches } from './batches.js';

describe('batches', () => {
  it.each([
    [0, []],
    [1, [[0]]],
    [2, [[0, 1]]],
    [3, [[0, 1], [2]]],
    [
      4,
      [
        [0, 1],
        [2, 3],
      ],
    ],
  ])('of %i in parts of two', (length, expected) => {
    expect(batches(Array.from({ length }, (_, index) => index), 2)).toEqual(expected); // oxfmt-ignore
  });
});
