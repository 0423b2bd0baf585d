import type { Reach } from '../../core/caller.js';
import { GatewayError } from '../../core/errors.js';
import { DAY_MS } from '../../core/time.js';
import { nearestName } from '../../shared/http/nearest-name.js';
import { readUtcTime } from '../../shared/http/utc-time.js';
import type { AnalyticsQueryDto } from './analytics-query.dto.js';
import {
  asRecorded,
  findDimension,
  listDimensions,
  missingArgument,
  printedName,
  type NamedDimension,
} from '../figures/dimensions.js';
import { assertRange } from '../figures/figure-ranges.js';
import type { FigureFilter, FigureOrder, FiguresQuery, Operator } from '../figures/figures-query.js';
import { isNamedKind, type GivenNames } from '../check-filter-names.js';
import { METRICS, METRIC_NAMES, type MetricName } from '../figures/metrics.js';

const ROWS_DEFAULT = 1_000;
/** Days of the range where none is given. */
const DAYS_DEFAULT = 30;

/** A query of figures, and what its reader should know of it. */
export interface AnalyticsRequest {
  readonly query: FiguresQuery;
  readonly warnings: readonly string[];
}

const refusal = (path: string, reason: string): GatewayError =>
  new GatewayError('invalid-request', `${path}: ${reason}`);

/** @param now epoch milliseconds, by the database's clock @throws GatewayError `invalid-request`, naming the field */
export function readAnalytics(dto: AnalyticsQueryDto, { accountId, boundTo }: Reach, now: number): AnalyticsRequest {
  const warnings: string[] = [];
  const metrics = dto.metrics.map((name, index) => readMetric(`metrics.${index}`, name));
  const dimensions = (dto.dimensions ?? []).map((name, index) => readDimension(`dimensions.${index}`, name));
  assertOnce('metrics', metrics);
  assertOnce(
    'dimensions',
    dimensions.map(({ name }) => name),
  );
  const filters = (dto.filters ?? []).map((filter, index) => readFilter(`filters.${index}`, filter));
  const query: FiguresQuery = {
    accountId,
    ...readRange(dto, now, warnings),
    granularity: dto.granularity,
    dimensions,
    metrics,
    filters: boundTo === undefined ? filters : [...filters, inWorkspace(boundTo)],
    order: readOrder(dto, metrics, dimensions),
    // One row more than is shown, to know whether there are more.
    limit: (dto.limit ?? ROWS_DEFAULT) + 1,
    groupLimit: dto.group_limit,
  };
  if (dto.group_limit !== undefined && dimensions.length === 0)
    warnings.push('group_limit: has no effect without dimensions');
  assertRange(query, ['time_range.start', 'time_range.end']);
  return { query, warnings };
}

/** All filters must match, so no filter of the caller's reaches other workspaces. */
const inWorkspace = (id: string): FigureFilter => ({
  field: findDimension('workspace', 'analytics')!,
  operator: 'eq',
  values: [id],
  includesUnset: false,
  takesNames: false,
});

function assertOnce(path: string, names: readonly string[]): void {
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice >= 0) throw refusal(`${path}.${twice}`, 'is there already');
}

/** The error for an unknown name: it suggests the nearest known name, or lists all. */
function unknownName(path: string, name: string, known: readonly string[]): GatewayError {
  const missing = missingArgument(name, 'analytics');
  if (missing !== undefined) return refusal(path, missing);
  const nearest = nearestName(name, known);
  return refusal(
    path,
    nearest === undefined ? `must be one of ${known.join(', ')}` : `is not known; did you mean ${nearest}?`,
  );
}

const isMetric = (name: string): name is MetricName => Object.hasOwn(METRICS, name);
const dimensionNames = (): readonly string[] => listDimensions('analytics').map((named) => printedName(...named));

function readMetric(path: string, name: string): MetricName {
  if (isMetric(name)) return name;
  throw unknownName(path, name, METRIC_NAMES);
}

function readDimension(path: string, name: string): NamedDimension {
  const found = findDimension(name, 'analytics');
  if (found) return found;
  throw unknownName(path, name, dimensionNames());
}

type GivenFilter = NonNullable<AnalyticsQueryDto['filters']>[number];

function readFilter(path: string, { field: name, operator, value, include_unset: unset }: GivenFilter): FigureFilter {
  const field = isMetric(name) ? name : findDimension(name, 'analytics');
  if (field === undefined) throw unknownName(`${path}.field`, name, [...dimensionNames(), ...METRIC_NAMES]);
  const takesList = operator === 'in' || operator === 'not_in';
  const isList = Array.isArray(value);
  if (takesList !== isList)
    throw refusal(`${path}.value`, takesList ? `must be a list for ${operator}` : 'must be one value');
  const values = (isList ? value : [value]) as readonly (string | number)[];
  const isOrder = !IS_SAME.has(operator);
  const isNumeric = typeof field === 'string' || field.dimension.isNumber === true;
  if (isOrder && typeof field !== 'string' && field.dimension.readableBy)
    throw refusal(`${path}.operator`, `${name} takes eq, neq, in and not_in`);
  if (isNumeric && values.some((entry) => entry === '' || !Number.isFinite(Number(entry))))
    throw refusal(`${path}.value`, `${name} is compared with numbers`);
  if (typeof field !== 'string' && !isOrder) assertAmong(`${path}.value`, values, field.dimension.values);
  if (typeof field === 'string' && unset) throw refusal(`${path}.include_unset`, 'is for dimensions alone');
  const recorded = typeof field === 'string' ? values : values.map((entry) => asRecorded(field, entry));
  return { field, operator, values: recorded, includesUnset: unset === true, takesNames: true };
}

/** @param known all valid values; undefined: any is valid */
function assertAmong(path: string, values: readonly (string | number)[], known: readonly string[] | undefined): void {
  const unknown = known && values.find((value) => !known.includes(String(value)));
  if (unknown !== undefined) throw unknownName(path, String(unknown), known!);
}

/** The names in filters, which must be those of the catalog or of a record. */
export const namesOf = (filters: readonly FigureFilter[]): readonly GivenNames[] =>
  filters.flatMap(({ field, operator, values }, index) => {
    const kind = typeof field === 'string' ? '' : field.name;
    if (!isNamedKind(kind) || !IS_SAME.has(operator)) return [];
    return { path: `filters.${index}.value`, kind, names: values.map(String) };
  });

/** Operators that compare with values themselves, not with their order. */
const IS_SAME: ReadonlySet<Operator> = new Set(['eq', 'neq', 'in', 'not_in']);

function readRange(
  { time_range: range }: AnalyticsQueryDto,
  now: number,
  warnings: string[],
): { readonly since: number; readonly until: number } {
  if (!range) {
    const until = Math.floor(now) + 1;
    warnings.push(`time_range: is absent, so these are the last ${DAYS_DEFAULT} days`);
    return { since: until - DAYS_DEFAULT * DAY_MS, until };
  }
  const read = (end: 'start' | 'end'): number => {
    const time = readUtcTime(range[end]);
    if (time) return Math.max(0, time.getTime());
    throw refusal(`time_range.${end}`, 'must be an ISO 8601 time in UTC with seconds, such as 2030-01-31T00:00:00Z');
  };
  const [since, until] = [read('start'), read('end')];
  if (until > now) warnings.push('time_range.end: is in the future');
  return { since, until };
}

function readOrder(
  { order_by: order, granularity }: AnalyticsQueryDto,
  metrics: readonly MetricName[],
  dimensions: readonly NamedDimension[],
): readonly FigureOrder[] {
  if (!order) {
    const byMetric = { field: metrics[0]!, isDescending: true };
    return granularity === undefined ? [byMetric] : [{ field: 'date', isDescending: false }, byMetric];
  }
  const known = [...(granularity === undefined ? [] : ['date']), ...metrics, ...dimensions.map(({ name }) => name)];
  if (!known.includes(order.field)) throw unknownName('order_by.field', order.field, known);
  return [{ field: order.field, isDescending: order.direction === 'desc' }];
}
