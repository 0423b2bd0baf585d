import { DAY_MS, HOUR_MS } from '../../core/time.js';

/** A range of time: `since` inclusive, `until` exclusive. Epoch milliseconds. */
export interface TimeRange {
  readonly since: number;
  readonly until: number;
}

/** What figures exist for, in one snapshot. */
export interface Rolled {
  /** Hours before it have figures. */
  readonly until: number;
  /** Except for these: their rows may have changed since. */
  readonly changed: ReadonlySet<number>;
}

/** From what a range is summed up, every moment of it once. */
export interface Coverage {
  /** Starts of UTC days and hours whose figures are read. */
  readonly days: readonly number[];
  readonly hours: readonly number[];
  /** Where generations themselves are read. */
  readonly rows: readonly TimeRange[];
}

/** The largest span of figures that fits into the times of an answer; `none`: it needs generations. */
export type WidestSpan = 'day' | 'hour' | 'none';

const ceil = (time: number, step: number): number => Math.ceil(time / step) * step;

/** Covers a range by figures of days and hours as far as they are certain, and by generations elsewhere. */
export function coverRange(
  { since, until }: TimeRange,
  { until: rolledUntil, changed }: Rolled,
  widest: WidestSpan,
): Coverage {
  const days: number[] = [];
  const hours: number[] = [];
  const rows: { since: number; until: number }[] = [];
  const changedDays = new Set(Array.from(changed, (hour) => Math.floor(hour / DAY_MS)));
  const addRows = (from: number, to: number): void => {
    if (from >= to) return;
    const last = rows.at(-1);
    if (last?.until === from) last.until = to;
    else rows.push({ since: from, until: to });
  };
  const end = widest === 'none' ? since : Math.min(rolledUntil, Math.floor(until / HOUR_MS) * HOUR_MS);
  let time = Math.min(ceil(since, HOUR_MS), Math.max(since, end));
  addRows(since, time);
  while (time < end) {
    if (widest === 'day' && time % DAY_MS === 0 && time + DAY_MS <= end && !changedDays.has(time / DAY_MS)) {
      days.push(time);
      time += DAY_MS;
      continue;
    }
    if (changed.has(time)) addRows(time, time + HOUR_MS);
    else hours.push(time);
    time += HOUR_MS;
  }
  addRows(time, until);
  return { days, hours, rows };
}
