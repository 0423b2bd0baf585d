import { DAY_MS } from '../../core/time.js';

/** A calendar day, `YYYY-MM-DD`. */
export type Day = string;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether the day exists. */
export function isDay(text: string): text is Day {
  if (!DAY.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  // Dates roll over: the 31st of a short month would be the 1st of the next.
  return !Number.isNaN(at) && dayOf(at) === text;
}

/** The day in UTC. @param at epoch milliseconds */
export const dayOf = (at: number): Day => new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);

/** Below 0 where `to` is before `from`. */
export const daysBetween = (from: Day, to: Day): number => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
