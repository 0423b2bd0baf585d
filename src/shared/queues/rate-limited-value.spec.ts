// Frequent requests compute the text at most at the given rate; occasional ones compute it each time. A clock that the
// test moves.
import { RateLimitedValue } from './rate-limited-value.js';

it('is computed 25 times a second at most, and returned again in between', async () => {
  let time = 0;
  let made = 0;
  const rationed = new RateLimitedValue(
    () => Promise.resolve(`${++made}`),
    25,
    () => time,
  );
  for (let index = 1; index <= 25; index++) expect(await rationed.latest()).toBe(`${index}`);
  for (time = 1; time < 1_000; time++) expect(await rationed.latest()).toBe('25');
  expect(await rationed.latest()).toBe('26');
  time = 10_000;
  expect(await rationed.latest()).toBe('27');
});

it('fails again within the second, and not for good', async () => {
  let time = 0;
  let isBroken = true;
  const rationed = new RateLimitedValue(
    () => (isBroken ? Promise.reject(new Error('broken')) : Promise.resolve('whole')),
    25,
    () => time,
  );
  for (let index = 0; index < 30; index++) await expect(rationed.latest()).rejects.toThrow('broken');
  isBroken = false;
  time = 1_000;
  expect(await rationed.latest()).toBe('whole');
});
