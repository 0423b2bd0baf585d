import { DIMENSION_NAMES, MEASURE_NAMES } from './figure-columns.js';
import { changedHours, sumHours, sumSpans, SUMMED_COLUMNS } from './figure-sums.js';

const GROUP = ['span', 'at', 'detail', ...DIMENSION_NAMES].join(', ');
const DIFFERS = MEASURE_NAMES.map((name) => `sum(CASE WHEN is_expected THEN ${name} ELSE -${name} END) <> 0`).join(
  ' OR ',
);
const sumsOf = (side: string, condition: string): string =>
  `sum(requests) FILTER (WHERE ${condition}) AS ${side}_requests, sum(cost) FILTER (WHERE ${condition}) AS ${side}_cost`;
const printed = (side: string): string =>
  `coalesce(sum(${side}_requests), 0) || ' requests, ' || trim_scale(coalesce(sum(${side}_cost), 0)) || ' USD in the groups that differ'`;

/**
 * Figures that differ from what they sum up: hours from generations, days from hours, weeks from days, group by group.
 * Hours that changed since they were written are left out, as readers do; so are figures of dropped months, and the
 * months before.
 */
export const FIGURES = `
  WITH progress AS (SELECT coalesce(max(rolled_until), 'epoch') AS until FROM figure_progress),
  changed AS (SELECT DISTINCT c.hour FROM progress CROSS JOIN LATERAL (${changedHours('progress.until')}) AS c),
  held AS (
    SELECT DISTINCT date_trunc('hour', g.held_at, 'UTC') AS hour FROM generations g, progress WHERE g.held_at < progress.until
    UNION SELECT at FROM generation_figures WHERE span = 'hour' AND NOT is_kept
  ),
  hours AS (SELECT array_agg(hour) AS list FROM held WHERE hour NOT IN (SELECT hour FROM changed)),
  days AS (
    SELECT array_agg(DISTINCT day) AS list FROM (
      SELECT date_trunc('day', hour, 'UTC') AS day FROM held
      UNION SELECT at FROM generation_figures WHERE span = 'day' AND NOT is_kept
    ) AS all_days, progress
    WHERE day + interval '24 hours' <= progress.until AND day NOT IN (SELECT date_trunc('day', hour, 'UTC') FROM changed)
  ),
  weeks AS (
    SELECT array_agg(DISTINCT week) AS list FROM (
      SELECT date_trunc('week', at, 'UTC') AS week FROM generation_figures WHERE span <> 'hour'
    ) AS all_weeks, progress
    WHERE week + interval '168 hours' <= progress.until AND week NOT IN (SELECT date_trunc('week', hour, 'UTC') FROM changed)
  ),
  compared AS (
    SELECT true AS is_expected, expected.* FROM hours CROSS JOIN LATERAL (${sumHours('hours.list')}) AS expected
    UNION ALL
    SELECT true, expected.* FROM days CROSS JOIN LATERAL (${sumSpans('day', 'days.list')}) AS expected
    UNION ALL
    SELECT true, expected.* FROM weeks CROSS JOIN LATERAL (${sumSpans('week', 'weeks.list')}) AS expected
    UNION ALL
    SELECT false, ${SUMMED_COLUMNS} FROM generation_figures, hours, days, weeks
    WHERE NOT is_kept AND ((span = 'hour' AND at = ANY(hours.list)) OR (span = 'day' AND at = ANY(days.list))
      OR (span = 'week' AND at = ANY(weeks.list)))
  ),
  differing AS (
    SELECT ${GROUP}, ${sumsOf('expected', 'is_expected')}, ${sumsOf('found', 'NOT is_expected')}
    FROM compared GROUP BY ${GROUP} HAVING ${DIFFERS}
  )
  SELECT format('figures of the %s %s%s', span, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"'),
      CASE detail WHEN 'none' THEN '' ELSE ', by ' || detail END) AS what,
    ${printed('expected')} AS expected, ${printed('found')} AS found, false AS is_warning
  FROM differing GROUP BY span, at, detail`;
