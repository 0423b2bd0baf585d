// The chunks of a range follow each other without gap or overlap, newest first, at the edges of hours and days; they
// grow while little is found, and shrink where much is.
import { DAY_MS, HOUR_MS } from '../../core/time.js';
import { hasMoreRows, readChunks } from './figure-chunks.js';
import type { FiguresQuery, FiguresRow } from './figures-query.js';

const DAY = Date.UTC(2030, 0, 15);

async function rangesOf(
  granularity: 'hour' | 'day',
  since: number,
  until: number,
  rowsOf: (hours: number) => number,
): Promise<readonly (readonly [since: number, until: number])[]> {
  const ranges: (readonly [number, number])[] = [];
  const read = async (query: FiguresQuery): Promise<readonly FiguresRow[]> => {
    ranges.push([query.since, query.until]);
    return Array.from({ length: rowsOf((query.until - query.since) / HOUR_MS) });
  };
  const query: FiguresQuery = {
    accountId: '', since, until, granularity, dimensions: [], metrics: [], filters: [], order: [], limit: 1,
  }; // oxfmt-ignore
  for await (const _ of readChunks({ read }, query));
  return ranges;
}

describe('readChunks', () => {
  it.each([
    ['day', DAY - 20 * DAY_MS + 5, DAY + 7 * HOUR_MS],
    ['hour', DAY - DAY_MS + 5, DAY + HOUR_MS / 2],
  ] as const)('covers a range by %ss', async (granularity, since, until) => {
    const unit = granularity === 'hour' ? HOUR_MS : DAY_MS;
    for (const rowsOf of [() => 0, () => 5_000]) {
      const ranges = await rangesOf(granularity, since, until, rowsOf);
      expect([ranges[0]![1], ranges.at(-1)![0]]).toEqual([until, since]);
      expect(ranges.slice(1).every(([, end], index) => end === ranges[index]![0] && end % unit === 0)).toBe(true);
    }
  });

  it('reads fewer rows at a time where there are many', async () => {
    const [few, many] = [await rangesOf('hour', DAY, DAY + DAY_MS, () => 1), await rangesOf('hour', DAY, DAY + DAY_MS, (hours) => hours * 1_001)]; // oxfmt-ignore
    expect(few.length).toBeLessThan(24);
    expect(many).toHaveLength(24);
  });
});

describe('hasMoreRows', () => {
  const query: FiguresQuery = {
    accountId: '', since: DAY - 30 * DAY_MS, until: DAY + 5, granularity: 'day', dimensions: [], metrics: [], filters: [], order: [], limit: 1,
  }; // oxfmt-ignore
  const counted = async (rowsADay: number, most: number): Promise<readonly [hasMore: boolean, days: number]> => {
    let days = 0;
    const count = async ({ since, until }: FiguresQuery): Promise<number> => {
      const own = Math.ceil((until - since) / DAY_MS);
      days += own;
      return own * rowsADay;
    };
    return [await hasMoreRows({ count }, query, most), days];
  };

  it.each([
    [1, 30, true, 31],
    [1, 31, false, 31],
    [1_000, 999, true, 1],
    [1_000, 20_000, true, 31],
    [10_000, 20_000, true, 3],
  ])('%i rows a day of 31, at most %i: %p, after %i days', async (rowsADay, most, hasMore, days) => {
    expect(await counted(rowsADay, most)).toEqual([hasMore, days]);
  });
});
