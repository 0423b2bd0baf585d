// Goal: whoever asks without a pause has the text made so many times a second and no more; who asks now and then has it
// made each time. Method: a clock that the test turns.
import { PacedText } from './paced-text.js';

it('is made anew 25 times a second at most, and told again in between', async () => {
  let time = 0;
  let made = 0;
  const paced = new PacedText(
    () => Promise.resolve(`${++made}`),
    () => time,
  );
  for (let index = 1; index <= 25; index++) expect(await paced.text()).toBe(`${index}`);
  for (time = 1; time < 1_000; time++) expect(await paced.text()).toBe('25');
  expect(await paced.text()).toBe('26');
  time = 10_000;
  expect(await paced.text()).toBe('27');
});

it('fails again within the second, and not for good', async () => {
  let time = 0;
  let isBroken = true;
  const paced = new PacedText(
    () => (isBroken ? Promise.reject(new Error('broken')) : Promise.resolve('whole')),
    () => time,
  );
  for (let index = 0; index < 30; index++) await expect(paced.text()).rejects.toThrow('broken');
  isBroken = false;
  time = 1_000;
  expect(await paced.text()).toBe('whole');
});
