import {
  described,
  flag,
  integer,
  map,
  number,
  object,
  oneOf,
  optional,
  rows,
  text,
  titled,
  unknown,
  type Static,
} from '../../shared/http/schema.js';
import { printDay } from './activity-query.dto.js';
import type { AnalyticsRequest } from './analytics-request.js';
import { listDimensions, printedName } from '../figures/dimensions.js';
import { GRANULARITIES, OPERATORS, type FiguresQuery, type FiguresRow } from '../figures/figures-query.js';
import { DISPLAY_FORMATS, METRICS } from '../figures/metrics.js';

const label = described('As a console shows it.', text());

/** The names that queries may use. */
export const analyticsMetaView = titled(
  'analytics_meta',
  object({
    dimensions: described(
      'By what figures are grouped and filtered.',
      rows(object({ name: text(), display_label: label })),
    ),
    metrics: described(
      'What is summed up.',
      rows(
        object({
          name: text(),
          display_label: label,
          display_format: described('How values are shown.', oneOf(DISPLAY_FORMATS)),
          is_rate: described('It cannot be summed up over groups.', flag()),
        }),
      ),
    ),
    operators: described(
      'How filters compare.',
      rows(
        object({ name: oneOf(OPERATORS), value_type: described('One value or a list.', oneOf(['scalar', 'array'])) }),
      ),
    ),
    granularities: described(
      'Spans of time that rows are made for.',
      rows(object({ name: oneOf(GRANULARITIES), display_label: label })),
    ),
  }),
);

const capitalised = (word: string): string => word[0]!.toUpperCase() + word.slice(1);

/** Made from the lists by which queries are read. */
export const ANALYTICS_META: Static<typeof analyticsMetaView> = {
  dimensions: listDimensions('analytics').map(([name, dimension]) => ({
    name: printedName(name, dimension),
    display_label: dimension.label,
  })),
  metrics: Object.entries(METRICS).map(([name, metric]) => ({
    name,
    display_label: metric.label,
    display_format: metric.format,
    is_rate: metric.isRate,
  })),
  operators: OPERATORS.map((name) => ({
    name,
    value_type: name === 'in' || name === 'not_in' ? 'array' : 'scalar',
  })),
  granularities: GRANULARITIES.map((name) => ({ name, display_label: capitalised(name) })),
};

/** The result of a query. */
export const analyticsView = titled(
  'analytics',
  object({
    data: described(
      'A row for each span and group: `date`, the dimensions and the metrics by their names.',
      rows(map(unknown())),
    ),
    metadata: described(
      'On the answer.',
      object({
        query_time_ms: described('How long it took.', number()),
        row_count: described('Rows in this answer.', integer()),
        truncated: described('There are more rows than the limit.', flag()),
      }),
    ),
    warnings: optional(described('What the query may not have meant.', rows(text()))),
  }),
);
type AnalyticsView = Static<typeof analyticsView>;

/** @param tookMs how long the statement took */
export function viewAnalytics(
  { query, warnings }: AnalyticsRequest,
  found: readonly FiguresRow[],
  tookMs: number,
): AnalyticsView {
  const limit = query.limit - 1;
  const shown = found.slice(0, limit);
  return {
    data: shown.map((row) => viewRow(query, row)),
    metadata: { query_time_ms: Math.round(tookMs), row_count: shown.length, truncated: found.length > limit },
    ...(warnings.length > 0 && { warnings }),
  };
}

function viewRow({ granularity, dimensions, metrics }: FiguresQuery, row: FiguresRow): Record<string, unknown> {
  const view: Record<string, unknown> = {};
  if (granularity !== undefined) {
    const isFine = granularity === 'minute' || granularity === 'hour';
    view['date'] = isFine ? `${row.date!.toISOString().slice(0, 19)}Z` : printDay(row.date!);
  }
  for (const [index, { name, dimension }] of dimensions.entries()) {
    const value = row[`dimension_${index}`] ?? null;
    // Keys and workspaces by their names: a reader cannot read ids.
    view[name] = dimension.isNumber && value !== null ? Number(value) : (row[`name_${index}`] ?? value);
  }
  for (const name of metrics) view[name] = row[name] === null ? null : Number(row[name]);
  return view;
}
