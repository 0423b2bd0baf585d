// No step of reading a long text takes long. The longest step of hostile texts.
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import { parseInSteps } from './parse-in-steps.js';

const MIB = 1024 * 1024;
/** Limit of one step on a busy machine, in milliseconds. */
const STEP_MS_MAX = 50;

describe('parseInSteps', () => {
  it.each([
    ['one text', `{"a":{"b":["${'x'.repeat(30 * MIB)}"]}}`],
    ['escapes', `{"a":{"b":["${'\\"'.repeat(8 * MIB)}"]}}`],
    ['backslashes', `{"a":{"b":["${'\\\\'.repeat(8 * MIB)}"]}}`],
    ['calls within others', `{"a":[{"b":{"c":[${Array.from({ length: 50_000 }, (_, index) => `{"id":"t${index}","f":{"n":"f","a":"{}"}}`).join()}]}}]}`],
    ['empty lists', `[[${'[],'.repeat(2 * MIB)}[]]]`],
    ['names', `[${Array.from({ length: 100_000 }, (_, index) => `{"k${index}":1}`).join()}]`],
  ])('reads many %s in short steps', async (_, text) => {
    const bytes = Buffer.from(text);
    const longest = (): number => {
      const steps = parseInSteps(bytes);
      let most = 0;
      for (let isOver = false; !isOver;) most = Math.max(most, computedMs(() => (isOver = steps.next().done === true)));
      return most;
    };
    expect(await fastest(longest, STEP_MS_MAX)).toBeLessThan(STEP_MS_MAX);
  }); // oxfmt-ignore
});
