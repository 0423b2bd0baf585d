// Every moment of a range is covered exactly once, by what is certain: examples, then random ranges.
import { DAY_MS, HOUR_MS } from '../../core/time.js';
import { coverRange, startOfWeek, type WidestSpan } from './coverage.js';

const DAY = Date.UTC(2030, 0, 15);
const WEEK_MS = 7 * DAY_MS;
const hour = (number: number): number => DAY + number * HOUR_MS;
const rolled = (until: number, ...changed: number[]) => ({ until, changed: new Set(changed) });

describe('coverRange', () => {
  it('reads whole days, the hours of a day that is not over, and the open hour from rows', () => {
    const range = { since: DAY - 2 * DAY_MS, until: hour(10) + 1 };
    expect(coverRange(range, rolled(hour(10)), 'day')).toEqual({
      weeks: [],
      days: [DAY - 2 * DAY_MS, DAY - DAY_MS],
      hours: Array.from({ length: 10 }, (_, index) => hour(index)),
      rows: [{ since: hour(10), until: hour(10) + 1 }],
    });
  });

  it('reads a changed hour from rows, and the others of its day by hours', () => {
    const { days, hours, rows } = coverRange(
      { since: DAY, until: DAY + 2 * DAY_MS },
      rolled(DAY + 9 * DAY_MS, hour(3)),
      'day',
    );
    expect([days, hours.length, hours.includes(hour(3)), rows]).toEqual([
      [DAY + DAY_MS],
      23,
      false,
      [{ since: hour(3), until: hour(4) }],
    ]);
  });

  it('reads parts of hours from rows', () => {
    const range = { since: hour(1) + 1, until: hour(3) + 5 };
    expect(coverRange(range, rolled(hour(9)), 'hour')).toEqual({
      weeks: [],
      days: [],
      hours: [hour(2)],
      rows: [
        { since: hour(1) + 1, until: hour(2) },
        { since: hour(3), until: hour(3) + 5 },
      ],
    });
  });

  it('reads only rows where figures do not know, or do not exist', () => {
    const range = { since: hour(1), until: hour(5) };
    const all = { weeks: [], days: [], hours: [], rows: [range] };
    expect(coverRange(range, rolled(hour(9)), 'none')).toEqual(all);
    expect(coverRange(range, rolled(0), 'day')).toEqual(all);
    expect(coverRange(range, rolled(hour(1)), 'hour')).toEqual(all);
  });

  it('reads whole weeks from Monday on, the days around them, and the days of a changed week', () => {
    // 2030-01-14 is a Monday.
    const monday = Date.UTC(2030, 0, 14);
    expect([startOfWeek(monday), startOfWeek(monday - 1)]).toEqual([monday, monday - WEEK_MS]);
    const range = { since: monday - 2 * DAY_MS, until: monday + 3 * WEEK_MS + DAY_MS };
    const { weeks, days, hours, rows } = coverRange(
      range,
      rolled(range.until, monday + WEEK_MS + 30 * HOUR_MS),
      'week',
    );
    expect(weeks).toEqual([monday, monday + 2 * WEEK_MS]);
    expect([days.length, hours.length, rows.length]).toEqual([2 + 6 + 1, 23, 1]);
    expect(coverRange(range, rolled(range.until), 'day').weeks).toEqual([]);
  });

  it('covers every moment once', () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 100; round++) {
      const since = DAY + random(100) * (HOUR_MS / 4);
      const until = since + (1 + random(3_000)) * (HOUR_MS / 4);
      const changed = Array.from({ length: random(5) }, () => hour(random(120)));
      const widest = (['week', 'day', 'hour', 'none'] as const satisfies readonly WidestSpan[])[random(4)]!;
      const { weeks, days, hours, rows } = coverRange({ since, until }, rolled(hour(random(800)), ...changed), widest);
      const parts = [
        ...weeks.map((week) => ({ since: week, until: week + WEEK_MS })),
        ...days.map((day) => ({ since: day, until: day + DAY_MS })),
        ...hours.map((one) => ({ since: one, until: one + HOUR_MS })),
        ...rows,
      ].toSorted((a, b) => a.since - b.since);
      expect(parts[0]!.since).toBe(since);
      expect(parts.at(-1)!.until).toBe(until);
      expect(parts.slice(1).every((part, index) => part.since === parts[index]!.until)).toBe(true);
      expect(hours.filter((one) => changed.includes(one))).toEqual([]);
      expect(weeks.filter((week) => changed.some((one) => startOfWeek(one) === week))).toEqual([]);
      expect(days.filter((day) => changed.some((one) => one >= day && one < day + DAY_MS))).toEqual([]);
    }
  });
});
