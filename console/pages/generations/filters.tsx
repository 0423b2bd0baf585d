import type { JSX } from 'preact';
import type { Operations } from '../../api/schema.js';
import { query } from '../../app/router.js';
import { FilterForm, type Filter } from '../../parts/filter-form.js';

type ListQuery = NonNullable<Operations['generationsList']['query']>;
type FilterName = Exclude<keyof ListQuery, 'cursor' | 'limit' | 'format' | 'tag'> | 'tag';

interface GenerationFilter extends Filter {
  readonly name: FilterName;
  /** Whether an index answers the filter: other filters need a range of time. */
  readonly isIndexed?: boolean;
}

/** Range of lists without one of their own, where a filter needs one. */
const RANGE_DAYS = 30;
const DAY_MS = 86_400_000;

const ERROR_TYPES = [
  'authentication', 'context_length_exceeded', 'invalid_request', 'not_found', 'payload_too_large', 'payment_required',
  'permission_denied', 'provider_overloaded', 'provider_unavailable', 'rate_limit_exceeded', 'server', 'timeout', 'unprocessable',
] as const satisfies readonly NonNullable<ListQuery['error_type']>[]; // oxfmt-ignore

const anyOf = (values: readonly string[]): NonNullable<Filter['options']> => [
  ['', 'any'],
  ...values.map((value) => [value, value] as const),
];

/** The filters, by the names that the API and the address of the page have. */
export const FILTERS: readonly GenerationFilter[] = [
  { name: 'from', label: 'From (UTC)', type: 'date', isIndexed: true },
  { name: 'to', label: 'Before (UTC)', type: 'date', isIndexed: true },
  { name: 'model', label: 'Model', hint: 'sandbox/echo' },
  { name: 'provider', label: 'Provider', hint: 'slug' },
  { name: 'key', label: 'Key', hint: 'hash', isIndexed: true },
  { name: 'user', label: 'User', isIndexed: true },
  { name: 'member', label: 'Member' },
  { name: 'session_id', label: 'Session', isIndexed: true },
  { name: 'workspace_id', label: 'Workspace', hint: 'id or slug', isIndexed: true },
  { name: 'status', label: 'Status', hint: '429' },
  { name: 'error_type', label: 'Error', options: anyOf(ERROR_TYPES) },
  { name: 'api', label: 'Interface', options: anyOf(['messages', 'chat', 'responses']) },
  { name: 'min_cost', label: 'USD, at least', hint: '0.25' },
  { name: 'tag', label: 'Tag', hint: 'name=value' },
];

/** The filters of the address, as the API takes them. */
export function filtersOf(parameters: URLSearchParams): ListQuery {
  const given = FILTERS.map(({ name }) => [name, parameters.get(name)] as const).filter(([, value]) => value);
  const needsRange = FILTERS.some(({ name, isIndexed }) => !isIndexed && parameters.get(name));
  const from = needsRange && !parameters.get('from') ? { from: firstDay() } : {};
  return { ...from, ...Object.fromEntries(given) };
}

/** Whether the range was added, because a filter needs one. */
export const isRangeAdded = (parameters: URLSearchParams): boolean =>
  !parameters.get('from') && filtersOf(parameters).from !== undefined;

const firstDay = (): string => new Date(Date.now() - RANGE_DAYS * DAY_MS).toISOString().slice(0, 10);

/** The form of the filters. */
export const GenerationFilters = (): JSX.Element => (
  <FilterForm page="generations" filters={FILTERS}>
    {isRangeAdded(query.value) && <p class="hint">Of the last {RANGE_DAYS} days, unless “From” names another day.</p>}
  </FilterForm>
);
