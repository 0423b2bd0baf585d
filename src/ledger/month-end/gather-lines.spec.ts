/**
 * A month is read in parts of about as many entries, however long a statement takes. The statements run on a store that
 * answers from a given number of entries an hour.
 */
import { HOUR_MS } from '../../core/time.js';
import { gatherLines, type StatementRunner } from './gather-lines.js';

const MONTH = new Date('2031-01-01T00:00:00Z');
const HOURS = 31 * 24;

/** @param hourly entries of the one key @param tookMs of each statement over entries */
async function gather(hourly: number, tookMs = 0): Promise<{ readonly parts: number[]; readonly lines: unknown[] }> {
  const parts: number[] = [];
  const read = (from: string, until: string): object[] => {
    for (const began = performance.now(); performance.now() - began < tookMs;);
    const before = (time: string): number => Math.floor((Date.parse(time) / HOUR_MS) * hourly);
    const count = before(until) - before(from);
    parts.push(count);
    const tokens = { prompt_tokens: '1', completion_tokens: '1', cached_tokens: '0', reasoning_tokens: '0' };
    const sums = { count: String(count), ...tokens, amount: '-1', byok_amount: '0', operator_cost: '0' };
    return count === 0 ? [] : [{ workspace_id: 'w', key_hash: 'k', member: null, model: 'm', kind: 'charge', ...sums }];
  };
  const query = async (text: string, [, from, until]: [string, string, string]): Promise<object[]> => {
    if (text.includes('to_regclass')) return [{ kept: true }];
    if (text.includes('SELECT hash')) return from === '' ? [{ hash: 'k' }] : [];
    return text.includes('FROM generations') ? read(from, until) : [];
  };
  const lines: unknown[] = [];
  const store = { query } as unknown as StatementRunner;
  for await (const some of gatherLines(store, { accountId: 'a', month: MONTH, isClosed: true, openSince: MONTH }))
    lines.push(...some);
  return { parts, lines };
}

it.each([0, 1])('reads a month of %d entries an hour in few parts, also where each takes long', async (hourly) => {
  const { parts } = await gather(hourly, 15);
  expect(parts.length).toBeLessThan(20);
});

it('reads a month of many entries in parts of hundreds, all of them once', async () => {
  const { parts, lines } = await gather(600);
  expect(Math.max(...parts.slice(10))).toBeLessThanOrEqual(400);
  expect(lines).toMatchObject([{ kind: 'charge', count: String(HOURS * 600), amount: String(-parts.length) }]);
});
