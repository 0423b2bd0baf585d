import { nearestName } from '../../shared/http/nearest-name.js';
import { GatewayError } from '../../core/errors.js';
import { DAY_MS } from '../../core/time.js';
import { ACTIVITY_METRICS, COMPLETED_GROUPS, shapeOf, viewCompleted, type ActivityShape } from './activity-view.js';
import { readDays, type ActivityQueryDto } from './activity-query.dto.js';
import {
  asRecorded,
  findDimension,
  listDimensions,
  missingArgument,
  printedName,
  type NamedDimension,
} from '../figures/dimensions.js';
import { assertRange } from '../figures/figure-ranges.js';
import type { FigureFilter, FiguresQuery } from '../figures/figures-query.js';

/** Days that are shown where the range is open. Chosen: those of completed days. */
const DAYS_DEFAULT = 30;
const GROUPS_MAX = 2;

/** A query of figures and how its rows are shown. */
export interface ActivityRequest extends ActivityShape {
  readonly query: FiguresQuery;
}

/** The inputs that are not in the query. */
export interface ActivityFacts {
  readonly accountId: string;
  /** Start of the current UTC day. */
  readonly today: Date;
  /** The workspace that the query names. */
  readonly workspaceId: string | undefined;
  /** Rows at most. */
  readonly limit: number;
}

/** @throws GatewayError `invalid-request`, naming the parameter */
export function readActivity(query: ActivityQueryDto, facts: ActivityFacts): ActivityRequest {
  return isCompletedDays(query) ? readCompleted(query, facts) : readRange(query, facts);
}

/** Whether the form is that of completed days: of every query that needs no other. */
const isCompletedDays = ({ from, to, granularity, group_by: groups, format }: ActivityQueryDto): boolean =>
  !from && !to && !granularity && !format && (groups === undefined || groups.join() === 'workspace');

function readCompleted(dto: ActivityQueryDto, facts: ActivityFacts): ActivityRequest {
  const names = [...COMPLETED_GROUPS, ...(dto.group_by ? ['workspace'] : [])];
  const query: FiguresQuery = {
    ...common(dto, facts),
    ...readDays(dto.date, facts.today),
    granularity: 'day',
    dimensions: names.map((name) => findDimension(name, 'activity')!),
    isAnsweredOnly: true,
    order: [
      { field: 'date', isDescending: true },
      { field: 'model', isDescending: false },
      { field: 'endpoint', isDescending: false },
      { field: 'provider_name', isDescending: false },
    ],
  };
  assertRange(query, ['date', 'date']);
  return { query, view: viewCompleted, columns: [] };
}

function readRange(dto: ActivityQueryDto, facts: ActivityFacts): ActivityRequest {
  if (dto.date) {
    throw new GatewayError('invalid-request', 'date: is for completed days alone; give from and to instead');
  }
  const until = dto.to?.getTime() ?? Math.max(facts.today.getTime(), dto.from?.getTime() ?? 0) + DAY_MS;
  const since = dto.from?.getTime() ?? until - DAYS_DEFAULT * DAY_MS;
  const dimensions = readGroups(dto.group_by ?? []);
  const { granularity = 'day' } = dto;
  const query: FiguresQuery = {
    ...common(dto, facts),
    since,
    until,
    granularity,
    dimensions,
    order: [{ field: 'date', isDescending: true }],
  };
  assertRange(query, ['from', 'to']);
  return { query, ...shapeOf(dimensions, granularity === 'hour') };
}

function readGroups(names: readonly string[]): readonly NamedDimension[] {
  const known = listDimensions('activity').flatMap(([name, dimension]) =>
    name === 'generation' ? [] : printedName(name, dimension),
  );
  if (names.length > GROUPS_MAX)
    throw new GatewayError('invalid-request', `group_by: takes at most ${GROUPS_MAX} names`);
  if (new Set(names).size < names.length) throw new GatewayError('invalid-request', 'group_by: names one twice');
  return names.map((name) => {
    const found = name === 'generation' ? undefined : findDimension(name, 'activity');
    if (found) return found;
    const nearest = nearestName(name, known);
    const missing = missingArgument(name, 'activity');
    if (missing !== undefined) throw new GatewayError('invalid-request', `group_by: ${missing}`);
    const reason = `must be one or two of ${known.join(', ')}`;
    throw new GatewayError(
      'invalid-request',
      `group_by: ${reason}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
    );
  });
}

const common = (dto: ActivityQueryDto, { accountId, workspaceId, limit }: ActivityFacts) => ({
  accountId,
  metrics: ACTIVITY_METRICS,
  filters: filtersOf(dto, workspaceId),
  limit,
});

function filtersOf(dto: ActivityQueryDto, workspaceId: string | undefined): readonly FigureFilter[] {
  const values: readonly (readonly [dimension: string, value: string | number | undefined])[] = [
    ['model', dto.model],
    ['provider', dto.provider],
    ['endpoint', dto.endpoint],
    ['key', dto.key],
    ['key', dto.api_key_hash],
    ['member', dto.member],
    ['member', dto.user_id],
    ['user', dto.user],
    ['session', dto.session_id],
    ['workspace', workspaceId],
    ['api', dto.api],
    ['dialect', dto.dialect],
    ['outcome', dto.outcome],
    ['error_type', dto.error_type],
    ['status', dto.status],
    ...(dto.tag ?? []).map(
      (tag) => [`tag:${tag.slice(0, tag.indexOf('='))}`, tag.slice(tag.indexOf('=') + 1)] as const,
    ),
  ];
  return values.flatMap(([name, value]) => {
    if (value === undefined) return [];
    const field = findDimension(name, 'activity')!;
    return { field, operator: 'eq', values: [asRecorded(field, value)], includesUnset: false, takesNames: false };
  });
}
