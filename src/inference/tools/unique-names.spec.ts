// Goal: names that nobody has, found at once however many want the same. Method: names given one after another.
import { UniqueNames } from './unique-names.js';

it('gives each name once, with a number from the second on', () => {
  const taken = new Set(['look', 'look_3']);
  const names = new UniqueNames(taken);
  const give = (name: string): string => {
    const given = names.of(name);
    taken.add(given);
    return given;
  };
  expect(['look', 'see', 'look', 'see', 'look_3'].map(give)).toEqual(['look_2', 'see', 'look_4', 'see_2', 'look_3_2']);
});

it('gives the same to who does not take it', () => {
  const names = new UniqueNames(new Set(['look']));
  expect([names.of('look'), names.of('look')]).toEqual(['look_2', 'look_2']);
});

it('takes no longer for the ten thousandth of a name', () => {
  const taken = new Set<string>();
  const names = new UniqueNames(taken);
  const beganAt = performance.now();
  for (let index = 0; index < 10_000; index++) taken.add(names.of('look'));
  expect(taken.size).toBe(10_000);
  // Some 4 s where each begins at 2 again.
  expect(performance.now() - beganAt).toBeLessThan(500);
});
