import { DIMENSION_NAMES, KEY_COLUMNS, MEASURE_NAMES, OF_GENERATION } from './figure-columns.js';

/** The columns that `sumHours` and `sumDays` return, in their order. */
export const SUMMED_COLUMNS = ['span', 'at', 'by_key', ...DIMENSION_NAMES, 'provider_name', ...MEASURE_NAMES].join(
  ', ',
);

const names = (columns: readonly string[]): string => columns.map((name) => `f.${name}`).join(', ');
const WITHOUT_KEY = DIMENSION_NAMES.filter((name) => !KEY_COLUMNS.includes(name));
const SUMS = `max(f.provider_name) AS provider_name, ${MEASURE_NAMES.map((name) => `sum(f.${name}) AS ${name}`).join(', ')}`;

/** The figures of UTC hours, from the rows of all accounts. @param hours an expression: `timestamptz[]` */
export const sumHours = (hours: string): string => `
  SELECT 'hour' AS span, f.at, grouping(f.key_hash) = 0 AS by_key, ${names(DIMENSION_NAMES)}, ${SUMS}
  FROM (
    SELECT h.at, r.* FROM unnest(${hours}) AS h (at) CROSS JOIN accounts a
    CROSS JOIN LATERAL (
      SELECT ${OF_GENERATION} FROM generations g
      WHERE g.account_id = a.id AND g.held_at >= h.at AND g.held_at < h.at + interval '1 hour'
      OFFSET 0
    ) AS r
  ) AS f
  GROUP BY GROUPING SETS ((f.at, ${names(WITHOUT_KEY)}), (f.at, ${names(DIMENSION_NAMES)}))`;

/** The figures of UTC days, from those of their hours. @param days an expression: `timestamptz[]` */
export const sumDays = (days: string): string => `
  SELECT 'day' AS span, d.at, f.by_key, ${names(DIMENSION_NAMES)}, ${SUMS}
  FROM unnest(${days}) AS d (at)
  JOIN generation_figures f ON f.span = 'hour' AND NOT f.is_kept AND f.at >= d.at AND f.at < d.at + interval '24 hours'
  GROUP BY d.at, f.by_key, ${names(DIMENSION_NAMES)}`;

/** Hours before `until` whose rows may differ from their figures: changes that were posted, and those that will be. */
export const changedHours = (until: string): string => `
  SELECT c.hour FROM figure_changes c WHERE c.hour < ${until}
  UNION
  SELECT date_trunc('hour', h.held_at, 'UTC') FROM holds h WHERE h.cost IS NOT NULL AND h.held_at < ${until}`;
