// Names requested one after another: each is unique, and found fast however many want the same.
import { stopwatch } from '../../../test/support/cpu-time.js';
import { NumberedNames } from './numbered-names.js';

it('returns each name once, with a number from the second on', () => {
  const taken = new Set(['look', 'look_3']);
  const names = new NumberedNames(taken);
  const give = (name: string): string => {
    const given = names.of(name);
    taken.add(given);
    return given;
  };
  expect(['look', 'see', 'look', 'see', 'look_3'].map(give)).toEqual(['look_2', 'see', 'look_4', 'see_2', 'look_3_2']);
});

it('returns the same name until it is taken', () => {
  const names = new NumberedNames(new Set(['look']));
  expect([names.of('look'), names.of('look')]).toEqual(['look_2', 'look_2']);
});

it('takes no longer for the ten-thousandth use of a name', () => {
  const taken = new Set<string>();
  const names = new NumberedNames(taken);
  const computedMs = stopwatch();
  for (let index = 0; index < 10_000; index++) taken.add(names.of('look'));
  expect(taken.size).toBe(10_000);
  // Some 4 s if each began at 2 again.
  expect(computedMs()).toBeLessThan(500);
});
