import {
  described,
  integer,
  nullable,
  number,
  objectAndOthers,
  optional,
  text,
  titled,
  type Static,
} from '../../shared/http/schema.js';
import { printDay } from './activity-query.dto.js';
import type { Dimension, NamedDimension } from '../figures/dimensions.js';
import type { FiguresRow } from '../figures/figures-query.js';
import type { MetricName } from '../figures/metrics.js';

/** The metrics by the names that they have here. */
const FIGURES = {
  usage: 'total_usage',
  byok_usage_inference: 'usage_byok',
  operator_cost: 'operator_cost',
  requests: 'request_count',
  errors: 'error_count',
  prompt_tokens: 'tokens_prompt',
  completion_tokens: 'tokens_completion',
  reasoning_tokens: 'reasoning_tokens',
  cached_tokens: 'cached_tokens',
} as const satisfies Readonly<Record<string, MetricName>>;

export const ACTIVITY_METRICS: readonly MetricName[] = Object.values(FIGURES);

const group = (meaning: string) =>
  optional(described(`${meaning}, where it was grouped by; null: none.`, nullable(text())));

/** Totals of one group during one UTC day or hour (docs/use/activity.md). */
export const activityView = titled(
  'activity',
  objectAndOthers(
    {
      date: described('A UTC day such as 2030-01-31, or the beginning of a UTC hour.', text()),
      model: group('The model that answered, or the requested one'),
      model_permaslug: optional(text()),
      endpoint_id: optional(text()),
      provider: group('Slug of the provider'),
      provider_name: optional(text()),
      endpoint: group('The endpoint'),
      key: group('Hash of the key'),
      key_name: group('Name of the key'),
      member: group('The user that the key was made for'),
      user: group('The end user'),
      session: group('The session'),
      workspace: group('Id of the workspace'),
      api: group('The interface that was called'),
      dialect: group('The API format of the endpoint'),
      outcome: group('How it ended'),
      error_type: group('The kind of error'),
      status: optional(described('HTTP status, where it was grouped by.', nullable(integer()))),
      usage: number(),
      byok_usage_inference: number(),
      operator_cost: described('USD that providers charge the operator, and no caller.', number()),
      requests: integer(),
      errors: optional(described('Those of `requests` that failed.', integer())),
      prompt_tokens: described('All of the prompt, cached or not.', integer()),
      completion_tokens: integer(),
      reasoning_tokens: integer(),
      cached_tokens: optional(described('Tokens of prompts that were read from a cache.', integer())),
      workspace_id: optional(described('Where it was grouped by workspace.', text())),
      workspace_name: optional(described('Name of the workspace, also of a deleted one.', nullable(text()))),
    },
    described('Value of the tag, under `tag:<name>`, where it was grouped by; null: none.', nullable(text())),
  ),
);
export type ActivityView = Static<typeof activityView>;

/** Sums become JSON numbers here and nowhere earlier. */
const numberOf = (row: FiguresRow, metric: MetricName): number => Number(row[metric]);

/** Totals of one endpoint on one completed UTC day. The dimensions are those of `COMPLETED_GROUPS`. */
export function viewCompleted(row: FiguresRow): ActivityView {
  const model = String(row['dimension_0']);
  const workspaceId = row['dimension_3'];
  return {
    date: printDay(row.date!),
    model,
    // Models of the catalog have a single name.
    model_permaslug: model,
    endpoint_id: asText(row['dimension_1']) ?? '',
    provider_name: row.provider_name ?? '',
    usage: numberOf(row, FIGURES.usage),
    byok_usage_inference: numberOf(row, FIGURES.byok_usage_inference),
    operator_cost: numberOf(row, FIGURES.operator_cost),
    requests: numberOf(row, FIGURES.requests),
    prompt_tokens: numberOf(row, FIGURES.prompt_tokens),
    completion_tokens: numberOf(row, FIGURES.completion_tokens),
    reasoning_tokens: numberOf(row, FIGURES.reasoning_tokens),
    ...(typeof workspaceId === 'string' && {
      workspace_id: workspaceId,
      workspace_name: asText(row['name_3']),
    }),
  };
}

/** The groups of completed days; with `group_by=workspace` also the workspace. */
export const COMPLETED_GROUPS = ['model', 'endpoint', 'provider'] as const;

/** Columns of rows of these groups. */
export interface ActivityShape {
  readonly view: (row: FiguresRow) => Readonly<Record<string, unknown>> & { readonly date: string };
  /** Names in the view, in the order of a table. */
  readonly columns: readonly string[];
}

/** Rows by hours or days, with the requested groups after the date. */
export function shapeOf(groups: readonly NamedDimension[], byHours: boolean): ActivityShape {
  const values = groups.map(({ dimension }, index) => valueOf(dimension, `dimension_${index}`));
  const named = groups.flatMap(({ name, dimension }, index) =>
    dimension.readableBy ? [[`${name}_name`, `name_${index}`] as const] : [],
  );
  const columns = ['date', ...groups.map(({ name }) => name), ...named.map(([name]) => name), ...Object.keys(FIGURES)];
  const printDate = byHours ? printHour : printDay;
  return {
    columns,
    view: (row) => ({
      date: printDate(row.date!),
      ...Object.fromEntries(groups.map(({ name }, index) => [name, values[index]!(row)])),
      ...Object.fromEntries(named.map(([name, column]) => [name, asText(row[column])])),
      ...Object.fromEntries(Object.entries(FIGURES).map(([name, metric]) => [name, numberOf(row, metric)])),
    }),
  };
}

const valueOf = ({ isNumber }: Dimension, column: string) =>
  isNumber
    ? (row: FiguresRow): number | null => (row[column] === null ? null : Number(row[column]))
    : (row: FiguresRow): string | null => asText(row[column]);

const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** `2030-01-31T23:00:00Z` */
const printHour = (hour: Date): string => `${hour.toISOString().slice(0, 19)}Z`;
