// Replies of one caller widen no other caller's bounds; those of two widen them for all. A widening halves over time,
// is at most four, and takes bounded memory.
import { ObservedWidening, WIDENING_HALF_LIFE_MS } from './observed-widening.js';

const START = 1_700_000_000_000;

describe('LearntWidening', () => {
  let observed: ObservedWidening;
  beforeEach(() => (observed = new ObservedWidening()));

  it('applies only to the caller of the replies, until those of a second caller exceed the same bound', () => {
    observed.observe('one', { input: 1, output: 3 }, START);
    expect(observed.at(START, 'one')).toEqual({ input: 1, output: 3 });
    for (const caller of ['other', undefined]) expect(observed.at(START, caller)).toBeUndefined();
    observed.observe('two', { input: 2, output: 1.5 }, START);
    // What both have exceeded: only one has exceeded the input.
    expect(observed.at(START)).toEqual({ input: 1, output: 1.5 });
    expect(observed.at(START, 'other')).toEqual({ input: 1, output: 1.5 });
    expect(observed.at(START, 'one')).toEqual({ input: 1, output: 3 });
    expect(observed.at(START, 'two')).toEqual({ input: 2, output: 1.5 });
  });

  it('counts one caller once, however often its replies exceed the bound', () => {
    for (let turn = 0; turn < 100; turn++) observed.observe('one', { input: 4, output: 4 }, START);
    expect(observed.at(START)).toBeUndefined();
  });

  it.each([
    [0, 4],
    [WIDENING_HALF_LIFE_MS, 2.5],
    [2 * WIDENING_HALF_LIFE_MS, 1.75],
    [5 * WIDENING_HALF_LIFE_MS, 1.125],
    [5.6 * WIDENING_HALF_LIFE_MS, undefined],
  ])('after %d ms is %d', (afterMs, output) => {
    observed.observe('one', { input: 1, output: 4 }, START);
    expect(observed.at(START + afterMs, 'one')).toEqual(output === undefined ? undefined : { input: 1, output });
    expect(observed.isEmpty).toBe(output === undefined);
  });

  it('keeps the higher of the remaining and the new factor', () => {
    observed.observe('one', { input: 1, output: 4 }, START);
    observed.observe('one', { input: 1, output: 2 }, START + WIDENING_HALF_LIFE_MS);
    expect(observed.at(START + WIDENING_HALF_LIFE_MS, 'one')).toEqual({ input: 1, output: 2.5 });
  });

  it('is never above four, nor increased by a clock that is set back', () => {
    observed.observe('one', { input: 1e9, output: Infinity }, START);
    expect(observed.at(START - WIDENING_HALF_LIFE_MS, 'one')).toEqual({ input: 4, output: 4 });
  });

  it('keeps a bounded number of callers, the most recent ones', () => {
    for (let index = 0; index <= 64; index++) observed.observe(`${index}`, { input: 2, output: 2 }, START + index);
    expect(observed.at(START + 64, '0')).toEqual(observed.at(START + 64));
    observed = new ObservedWidening();
    observed.observe('first', { input: 1, output: 4 }, START);
    for (let index = 0; index < 64; index++) observed.observe(`${index}`, { input: 2, output: 1 }, START + index);
    expect(observed.at(START + 64, 'first')).toEqual({ input: 2, output: 1 });
  });
});
