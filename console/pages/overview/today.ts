const HOUR_MS = 3_600_000;

/** The present day in UTC, by which the figures are summed up: `2030-01-31`. */
export const today = (): string => new Date().toISOString().slice(0, 10);

/** The beginnings of the hours of today, up to the present one: epoch milliseconds. */
export function hoursOfToday(): readonly number[] {
  const first = Date.parse(today());
  const count = new Date().getUTCHours() + 1;
  return Array.from({ length: count }, (_, hour) => first + hour * HOUR_MS);
}

export const printHour = (at: number): string => new Date(at).toISOString().slice(11, 16);
