// Replies of one caller widen no other caller's bounds; those of two widen them for all. A widening halves over time,
// is at most four, and takes bounded memory.
import { LearntWidening, WIDENING_HALF_LIFE_MS } from './learnt-widening.js';

const START = 1_700_000_000_000;

describe('LearntWidening', () => {
  let learnt: LearntWidening;
  beforeEach(() => (learnt = new LearntWidening()));

  it('applies only to the caller of the replies, until those of a second caller exceed the same bound', () => {
    learnt.learn('one', { input: 1, output: 3 }, START);
    expect(learnt.at(START, 'one')).toEqual({ input: 1, output: 3 });
    for (const caller of ['other', undefined]) expect(learnt.at(START, caller)).toBeUndefined();
    learnt.learn('two', { input: 2, output: 1.5 }, START);
    // What both have exceeded: only one has exceeded the input.
    expect(learnt.at(START)).toEqual({ input: 1, output: 1.5 });
    expect(learnt.at(START, 'other')).toEqual({ input: 1, output: 1.5 });
    expect(learnt.at(START, 'one')).toEqual({ input: 1, output: 3 });
    expect(learnt.at(START, 'two')).toEqual({ input: 2, output: 1.5 });
  });

  it('counts one caller once, however often its replies exceed the bound', () => {
    for (let turn = 0; turn < 100; turn++) learnt.learn('one', { input: 4, output: 4 }, START);
    expect(learnt.at(START)).toBeUndefined();
  });

  it.each([
    [0, 4],
    [WIDENING_HALF_LIFE_MS, 2.5],
    [2 * WIDENING_HALF_LIFE_MS, 1.75],
    [5 * WIDENING_HALF_LIFE_MS, 1.125],
    [5.6 * WIDENING_HALF_LIFE_MS, undefined],
  ])('after %d ms is %d', (afterMs, output) => {
    learnt.learn('one', { input: 1, output: 4 }, START);
    expect(learnt.at(START + afterMs, 'one')).toEqual(output === undefined ? undefined : { input: 1, output });
    expect(learnt.isEmpty).toBe(output === undefined);
  });

  it('keeps the higher of the remaining and the new factor', () => {
    learnt.learn('one', { input: 1, output: 4 }, START);
    learnt.learn('one', { input: 1, output: 2 }, START + WIDENING_HALF_LIFE_MS);
    expect(learnt.at(START + WIDENING_HALF_LIFE_MS, 'one')).toEqual({ input: 1, output: 2.5 });
  });

  it('is never above four, nor increased by a clock that is set back', () => {
    learnt.learn('one', { input: 1e9, output: Infinity }, START);
    expect(learnt.at(START - WIDENING_HALF_LIFE_MS, 'one')).toEqual({ input: 4, output: 4 });
  });

  it('keeps a bounded number of callers, the most recent ones', () => {
    for (let index = 0; index <= 64; index++) learnt.learn(`${index}`, { input: 2, output: 2 }, START + index);
    expect(learnt.at(START + 64, '0')).toEqual(learnt.at(START + 64));
    learnt = new LearntWidening();
    learnt.learn('first', { input: 1, output: 4 }, START);
    for (let index = 0; index < 64; index++) learnt.learn(`${index}`, { input: 2, output: 1 }, START + index);
    expect(learnt.at(START + 64, 'first')).toEqual({ input: 2, output: 1 });
  });
});
