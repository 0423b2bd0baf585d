import { DETAILED_COLUMNS, DIMENSION_NAMES, MEASURE_NAMES, OF_GENERATION } from './figure-columns.js';

/** The columns that `sumHours` and `sumSpans` return, in their order. */
export const SUMMED_COLUMNS = ['span', 'at', 'detail', ...DIMENSION_NAMES, 'provider_name', ...MEASURE_NAMES].join(
  ', ',
);

const names = (columns: readonly string[]): string => columns.map((name) => `f.${name}`).join(', ');
const UNDETAILED = DIMENSION_NAMES.filter((name) => !(name in DETAILED_COLUMNS));
const SUMS = `max(f.provider_name) AS provider_name, ${MEASURE_NAMES.map((name) => `sum(f.${name}) AS ${name}`).join(', ')}`;

/** The figures of UTC hours, from the rows of all accounts. @param hours an expression: `timestamptz[]` */
export const sumHours = (hours: string): string => `
  SELECT 'hour' AS span, f.at,
    CASE WHEN grouping(f.key_hash) = 0 THEN 'key' WHEN grouping(f.member) = 0 THEN 'member' ELSE 'none' END AS detail,
    ${names(DIMENSION_NAMES)}, ${SUMS}
  FROM (
    SELECT h.at, r.* FROM unnest(${hours}) AS h (at) CROSS JOIN accounts a
    CROSS JOIN LATERAL (
      SELECT ${OF_GENERATION} FROM generations g
      WHERE g.account_id = a.id AND g.held_at >= h.at AND g.held_at < h.at + interval '1 hour'
      OFFSET 0
    ) AS r
  ) AS f
  GROUP BY GROUPING SETS ((f.at, ${names(UNDETAILED)}), (f.at, ${names(UNDETAILED)}, f.member), (f.at, ${names(DIMENSION_NAMES)}))`;

/** Spans that are summed up from shorter ones. Weeks begin on Monday. */
export const LONG_SPANS = {
  day: { from: 'hour', length: '24 hours', condition: 'NOT f.is_kept' },
  // Includes kept days: a week may have days of a dropped month and of a later one, and is never kept itself.
  week: { from: 'day', length: '168 hours', condition: 'true' },
} as const;
export type LongSpan = keyof typeof LONG_SPANS;

/** The figures of UTC days or weeks, from those of their parts. @param starts an expression: `timestamptz[]` */
export function sumSpans(span: LongSpan, starts: string): string {
  const { from, length, condition } = LONG_SPANS[span];
  return `
  SELECT '${span}' AS span, s.at, f.detail, ${names(DIMENSION_NAMES)}, ${SUMS}
  FROM unnest(${starts}) AS s (at)
  JOIN generation_figures f ON f.span = '${from}' AND ${condition} AND f.at >= s.at AND f.at < s.at + interval '${length}'
  GROUP BY s.at, f.detail, ${names(DIMENSION_NAMES)}`;
}

/** Hours before `until` whose rows may differ from their figures: with changes that are posted, or not posted yet. */
export const changedHours = (until: string): string => `
  SELECT c.hour FROM figure_changes c WHERE c.hour < ${until}
  UNION
  SELECT date_trunc('hour', h.held_at, 'UTC') FROM holds h WHERE h.cost IS NOT NULL AND h.held_at < ${until}`;
