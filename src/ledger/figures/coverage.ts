import { DAY_MS, HOUR_MS } from '../../core/time.js';

/** A range of time: `since` inclusive, `until` exclusive. Epoch milliseconds. */
export interface TimeRange {
  readonly since: number;
  readonly until: number;
}

/** The hours that have figures, in one snapshot. */
export interface Rolled {
  /** Hours before it have figures. */
  readonly until: number;
  /** Hours whose rows may have changed since their figures were written. */
  readonly changed: ReadonlySet<number>;
}

/** The figures and generations that a range is summed up from. Each moment is covered once. */
export interface Coverage {
  /** Starts of UTC weeks, days and hours whose figures are read. */
  readonly weeks: readonly number[];
  readonly days: readonly number[];
  readonly hours: readonly number[];
  /** Ranges in which generations themselves are read. */
  readonly rows: readonly TimeRange[];
}

/** The longest span of figures that fits the granularity of an answer; `none`: the answer needs generations. */
export type WidestSpan = 'week' | 'day' | 'hour' | 'none';

const WEEK_MS = 7 * DAY_MS;
/** Weeks begin on Monday; the first Monday of the epoch was its fifth day. */
const FIRST_WEEK = 4 * DAY_MS;

/** The start of the UTC week that has this time. */
export const startOfWeek = (time: number): number => Math.floor((time - FIRST_WEEK) / WEEK_MS) * WEEK_MS + FIRST_WEEK;

const ceil = (time: number, step: number): number => Math.ceil(time / step) * step;

/** Covers a range by figures of weeks, days and hours that are up to date, and by generations elsewhere. */
export function coverRange(
  { since, until }: TimeRange,
  { until: rolledUntil, changed }: Rolled,
  widest: WidestSpan,
): Coverage {
  const weeks: number[] = [];
  const days: number[] = [];
  const hours: number[] = [];
  const rows: { since: number; until: number }[] = [];
  const changedWeeks = new Set(Array.from(changed, startOfWeek));
  const changedDays = new Set(Array.from(changed, (hour) => Math.floor(hour / DAY_MS)));
  const addRows = (from: number, to: number): void => {
    if (from >= to) return;
    const last = rows.at(-1);
    if (last?.until === from) last.until = to;
    else rows.push({ since: from, until: to });
  };
  const hasDays = widest === 'week' || widest === 'day';
  const end = widest === 'none' ? since : Math.min(rolledUntil, Math.floor(until / HOUR_MS) * HOUR_MS);
  let time = Math.min(ceil(since, HOUR_MS), Math.max(since, end));
  addRows(since, time);
  while (time < end) {
    if (widest === 'week' && time === startOfWeek(time) && time + WEEK_MS <= end && !changedWeeks.has(time)) {
      weeks.push(time);
      time += WEEK_MS;
      continue;
    }
    if (hasDays && time % DAY_MS === 0 && time + DAY_MS <= end && !changedDays.has(time / DAY_MS)) {
      days.push(time);
      time += DAY_MS;
      continue;
    }
    if (changed.has(time)) addRows(time, time + HOUR_MS);
    else hours.push(time);
    time += HOUR_MS;
  }
  addRows(time, until);
  return { weeks, days, hours, rows };
}
