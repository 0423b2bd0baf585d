// Members that no schema names are listed up to a limit, and measured beyond it: a model may read all of them.
import { undeclaredMembers } from './undeclared-members.js';

const collect = (names: readonly string[], value: unknown) =>
  undeclaredMembers.collect(() => {
    for (const name of names) undeclaredMembers.note({ type: 'text', [name]: value }, name, '/0/content/1');
  });
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `name${index}`);

it('are listed once, with the length of all their values', () => {
  expect(collect(['a', 'b', 'a'], 'ü')).toEqual([
    { path: ['content', 'a'], of: 'text', isSet: true, bytes: 8, units: 6 },
    { path: ['content', 'b'], of: 'text', isSet: true, bytes: 4, units: 3 },
  ]);
  expect(collect(['a'], null)).toMatchObject([{ isSet: false }]);
});

it.each([99, 100, 101, 50_000])('are measured whole, %i of them', (count) => {
  const members = collect(names(count), 'x');
  expect(members).toHaveLength(Math.min(count, 100));
  expect(members.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(3 * count);
  expect(members.reduce((sum, { units }) => sum + units, 0)).toBe(3 * count);
});
