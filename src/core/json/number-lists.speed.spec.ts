// No step of reading a reply with vectors takes long. The longest step of hostile replies.
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import { parseWithNumberLists } from './number-lists.js';

const MIB = 1024 * 1024;
/** Limit of one step on a busy machine, in milliseconds. */
const STEP_MS_MAX = 50;
const LIST = `[${'1,'.repeat(15)}1]`;

describe('parseWithNumberLists', () => {
  it.each([
    ['vectors', `{"e":[${Array.from({ length: 2_000 }, () => `{"embedding":[${'0.0123456789,'.repeat(1_500)}1]}`).join()}]}`],
    ['empty lists beside a vector', `{"embedding":${LIST},"x":[[${'[],'.repeat(2 * MIB)}[]]]}`],
    ['short lists', `{"e":[${'{"embedding":[1,1]},'.repeat(MIB)}1]}`],
    ['names', `{"e":[${'"embedding",'.repeat(2 * MIB)}1]}`],
    ['brackets in a text', `{"embedding":${LIST},"x":"${'['.repeat(30 * MIB)}"}`],
    ['spaces', `{"embedding":[${' '.repeat(30 * MIB)}1]}`],
    ['digits', `{"embedding":[${'1'.repeat(4 * MIB)}]}`],
    ['numbers of one vector', `{"embedding":[${'1,'.repeat(4 * MIB)}1]}`],
    ['exponents of one vector', `{"embedding":[${'1e+01,'.repeat(2 * MIB)}1]}`],
  ])('reads many %s in short steps', async (_, text) => {
    const bytes = Buffer.from(text);
    const longest = (): number => {
      const steps = parseWithNumberLists(bytes, ['embedding', 'float']);
      let most = 0;
      for (let isOver = false; !isOver;) most = Math.max(most, computedMs(() => (isOver = steps.next().done === true)));
      return most;
    };
    expect(await fastest(longest, STEP_MS_MAX)).toBeLessThan(STEP_MS_MAX);
  }); // oxfmt-ignore
});
