import type { JSX } from 'preact';
import { addressOf, navigate, query } from '../../app/router.js';
import type { Operations } from '../../api/schema.js';

type ListQuery = NonNullable<Operations['generationsList']['query']>;
type FilterName = Exclude<keyof ListQuery, 'cursor' | 'limit' | 'format' | 'tag'> | 'tag';

interface Filter {
  readonly name: FilterName;
  readonly label: string;
  readonly isDay?: true;
  readonly options?: readonly string[];
  readonly hint?: string;
  /** Whether an index answers it: the others need a range of time. */
  readonly isIndexed?: boolean;
}

/** Of lists without a range of their own, where a filter needs one. */
const RANGE_DAYS = 30;
const DAY_MS = 86_400_000;

const ERROR_TYPES = [
  'authentication', 'context_length_exceeded', 'invalid_request', 'not_found', 'payload_too_large', 'payment_required',
  'permission_denied', 'provider_overloaded', 'provider_unavailable', 'rate_limit_exceeded', 'server', 'timeout', 'unprocessable',
] as const satisfies readonly NonNullable<ListQuery['error_type']>[]; // oxfmt-ignore

/** The filters, by the names that the API and the address of the page have. */
export const FILTERS: readonly Filter[] = [
  { name: 'from', label: 'From (UTC)', isDay: true, isIndexed: true },
  { name: 'to', label: 'Before (UTC)', isDay: true, isIndexed: true },
  { name: 'model', label: 'Model', hint: 'sandbox/echo' },
  { name: 'provider', label: 'Provider', hint: 'slug' },
  { name: 'key', label: 'Key', hint: 'hash', isIndexed: true },
  { name: 'user', label: 'User', isIndexed: true },
  { name: 'member', label: 'Member' },
  { name: 'session_id', label: 'Session', isIndexed: true },
  { name: 'workspace_id', label: 'Workspace', hint: 'id or slug', isIndexed: true },
  { name: 'status', label: 'Status', hint: '429' },
  { name: 'error_type', label: 'Error', options: ERROR_TYPES },
  { name: 'api', label: 'Interface', options: ['messages', 'chat'] },
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

const DAY = { type: 'date' } as const;

const firstDay = (): string => new Date(Date.now() - RANGE_DAYS * DAY_MS).toISOString().slice(0, 10);

/** Reads the filters from the address, and writes them there. */
export function FilterForm(): JSX.Element {
  const given = FILTERS.filter(({ name }) => query.value.get(name)).length;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement) as unknown as Iterable<[string, string]>;
    navigate(addressOf('generations', Object.fromEntries([...fields].map(([name, value]) => [name, value.trim()]))));
  };
  return (
    <details class="filters" open={given > 0}>
      <summary>{given === 0 ? 'Filters' : `Filters (${given})`}</summary>
      <form onSubmit={submit} key={query.value.toString()}>
        <div class="fields">
          {FILTERS.map((filter) => (
            <Field key={filter.name} filter={filter} value={query.value.get(filter.name) ?? ''} />
          ))}
        </div>
        {isRangeAdded(query.value) && (
          <p class="hint">Of the last {RANGE_DAYS} days, unless “From” names another day.</p>
        )}
        <div class="buttons">
          <button type="submit" class="main">
            Show
          </button>
          <button type="button" onClick={() => navigate(addressOf('generations'))}>
            Clear
          </button>
        </div>
      </form>
    </details>
  );
}

function Field({ filter, value }: { readonly filter: Filter; readonly value: string }): JSX.Element {
  const { name, label, isDay, options, hint } = filter;
  const id = `filter-${name}`;
  return (
    <div>
      <label for={id}>{label}</label>
      {options ? (
        <select id={id} name={name}>
          <option value="">any</option>
          {options.map((option) => (
            <option key={option} selected={option === value}>
              {option}
            </option>
          ))}
        </select>
      ) : (
        <input id={id} name={name} defaultValue={value} {...(isDay ? DAY : { placeholder: hint })} spellcheck={false} />
      )}
    </div>
  );
}
