import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Key, Operations } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { query } from '../../app/router.js';
import { CsvLink } from '../../parts/csv.js';
import { FilterForm, type Filter } from '../../parts/filter-form.js';
import { Link } from '../../parts/link.js';
import { Money } from '../../parts/money.js';
import { NamedId } from '../../parts/named-id.js';
import { OffsetPages, shownOffset } from '../../parts/pages.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { KeyState } from './key-state.js';

const PAGE = 50;

const FILTERS: readonly Filter[] = [
  { name: 'name', label: 'Name contains' },
  { name: 'creator_user_id', label: 'Owner', hint: 'user-1' },
  { name: 'workspace_id', label: 'Workspace', hint: 'id or slug' },
  { name: 'kind', label: 'Kind', options: [['', 'any'], ['inference', 'inference'], ['management', 'management']] },
  { name: 'disabled', label: 'State', options: [['', 'any'], ['false', 'enabled'], ['true', 'disabled']] },
  { name: 'include_deleted', label: 'Deleted keys', options: [['', 'not shown'], ['true', 'shown']] },
  {
    name: 'sort',
    label: 'Order of all pages',
    options: [['', 'newest first'], ['usage', 'most spent first'], ['last_used_at', 'last used first']],
  },
]; // oxfmt-ignore

type ListQuery = NonNullable<Operations['keysList']['query']>;

/** The keys of the account, a page at a time. */
export function KeyList(): JSX.Element {
  const parameters = query.value;
  const given = FILTERS.map(({ name }) => [name, parameters.get(name)] as const).filter(([, value]) => value);
  const filters: ListQuery = { include_disabled: 'true', ...Object.fromEntries(given) };
  const page: ListQuery = { ...filters, offset: String(shownOffset()), limit: String(PAGE) };
  const loaded = useData(JSON.stringify(page), (signal) => call('keysList', { query: page }, signal));
  return (
    <>
      <h1 tabIndex={-1}>Keys</h1>
      <FilterForm page="keys" filters={FILTERS} />
      <Shown of={loaded}>
        {({ data, total_count: total }) => (
          <>
            <div class="toolbar">
              <Link class="button main" to="keys/new">
                New key
              </Link>
              <span class="hint">
                {total.toLocaleString('en')} {total === 1 ? 'key' : 'keys'}
              </span>
              {data.length > 0 && <CsvLink operation="keysList" query={filters} file="keys.csv" />}
            </div>
            {data.length === 0 ? (
              <Nothing hasFilters={given.length > 0} />
            ) : (
              <Table caption="Keys" hidesCaption columns={COLUMNS} rows={data} keyOf={({ hash }) => hash} />
            )}
            <OffsetPages size={PAGE} total={total} />
          </>
        )}
      </Shown>
    </>
  );
}

const Nothing = ({ hasFilters }: { readonly hasFilters: boolean }): JSX.Element => (
  <Empty>{hasFilters ? 'No key fits these filters.' : 'There is no key yet: “New key” makes the first one.'}</Empty>
);

const tagsOf = ({ metadata: { tags } }: Key): string =>
  Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

const COLUMNS: readonly Column<Key>[] = [
  {
    name: 'name',
    title: 'Name',
    isHeader: true,
    cell: ({ hash, name }) => (
      <Link to={`keys/${hash}`}>
        <NamedId id={hash} name={name} />
      </Link>
    ),
    sortBy: ({ name }) => name,
  },
  { name: 'state', title: 'State', cell: (key) => <KeyState of={key} />, sortBy: ({ disabled }) => Number(disabled) },
  { name: 'kind', title: 'Kind', cell: ({ kind }) => kind, sortBy: ({ kind }) => kind },
  {
    name: 'owner',
    title: 'Owner',
    cell: ({ creator_user_id: owner }) => (owner === null ? '–' : <bdi class="name">{owner}</bdi>),
    sortBy: ({ creator_user_id: owner }) => owner,
  },
  {
    name: 'tags',
    title: 'Tags',
    cell: (key) => (tagsOf(key) === '' ? '–' : <bdi class="name">{tagsOf(key)}</bdi>),
    sortBy: tagsOf,
  },
  {
    name: 'used',
    title: 'Last used',
    cell: ({ last_used_at: at }) => <Time at={at} />,
    sortBy: ({ last_used_at: at }) => at,
  },
  {
    name: 'today',
    title: 'Today',
    isNumber: true,
    cell: ({ usage_daily: today }) => <Money usd={today} />,
    sortBy: ({ usage_daily: today }) => today,
  },
  {
    name: 'left',
    title: 'Left',
    isNumber: true,
    cell: ({ limit_remaining: left }) => (left === null ? <span class="none">no limit</span> : <Money usd={left} />),
    sortBy: ({ limit_remaining: left }) => left,
  },
  {
    name: 'limit',
    title: 'Limit',
    isNumber: true,
    cell: ({ limit, limit_reset: reset }) =>
      limit === null ? (
        '–'
      ) : (
        <>
          <Money usd={limit} /> {reset ?? 'in all'}
        </>
      ),
    sortBy: ({ limit }) => limit,
  },
];
