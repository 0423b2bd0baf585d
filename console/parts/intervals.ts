/** The intervals of budgets. */
export const INTERVALS = [
  { value: 'daily', label: 'each day (UTC)' },
  { value: 'weekly', label: 'each week, from Monday' },
  { value: 'monthly', label: 'each month' },
  { value: 'lifetime', label: 'in all' },
] as const;
export type Interval = (typeof INTERVALS)[number]['value'];

export const intervalWords = (interval: string): string =>
  INTERVALS.find(({ value }) => value === interval)?.label ?? interval;
