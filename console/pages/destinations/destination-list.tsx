import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Names } from '../../api/names.js';
import type { Destination, Operations } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { useWorkspaceNames } from '../../api/workspace-names.js';
import { query } from '../../app/router.js';
import { CsvLink } from '../../parts/csv.js';
import { FilterForm, type Filter } from '../../parts/filter-form.js';
import { Link } from '../../parts/link.js';
import { NamedId } from '../../parts/named-id.js';
import { OffsetPages, shownOffset } from '../../parts/pages.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { addressOf, TYPES } from './destination-fields.js';

const PAGE = 50;

const FILTERS: readonly Filter[] = [
  { name: 'type', label: 'Type', options: [['', 'any'], ...Object.entries(TYPES)] },
  { name: 'workspace_id', label: 'Workspace', hint: 'id or slug' },
];

type ListQuery = NonNullable<Operations['destinationsList']['query']>;

/** List of destinations of alarms and of figures of generations. */
export function DestinationList(): JSX.Element {
  const parameters = query.value;
  const given = FILTERS.map(({ name }) => [name, parameters.get(name)] as const).filter(([, value]) => value);
  const filters: ListQuery = Object.fromEntries(given);
  const page: ListQuery = { ...filters, offset: String(shownOffset()), limit: String(PAGE) };
  const loaded = useData(JSON.stringify(page), (signal) => call('destinationsList', { query: page }, signal));
  const columns = columnsWith(useWorkspaceNames());
  return (
    <>
      <h1 tabIndex={-1}>Destinations</h1>
      <p>
        Other systems that get the reports of <Link to="alarms">alarms</Link> and the figures of generations.
      </p>
      <FilterForm page="destinations" filters={FILTERS} />
      <Shown of={loaded}>
        {({ data, total_count: total }) => (
          <>
            <div class="toolbar">
              <Link class="button main" to="destinations/new">
                New destination
              </Link>
              {data.length > 0 && <CsvLink operation="destinationsList" query={filters} file="destinations.csv" />}
            </div>
            {data.length === 0 ? (
              <Empty>
                {given.length > 0
                  ? 'No destination fits these filters.'
                  : 'There is none yet: “New destination” makes the first one.'}
              </Empty>
            ) : (
              <Table caption="Destinations" hidesCaption columns={columns} rows={data} keyOf={({ id }) => id} />
            )}
            <OffsetPages size={PAGE} total={total} />
          </>
        )}
      </Shown>
    </>
  );
}

const LOOKS = { ok: 'good', untested: 'none', failing: 'bad', switched_off: 'bad' } as const;

/** Whether it takes events, in a word. */
export const DestinationState = ({ of: { enabled, status } }: { readonly of: Destination }): JSX.Element =>
  !enabled && status !== 'switched_off' ? (
    <span class="warn">off</span>
  ) : (
    <span class={LOOKS[status]}>{status.replace('_', ' ')}</span>
  );

const columnsWith = (workspaces: Names): readonly Column<Destination>[] => [
  {
    name: 'name',
    title: 'Name',
    isHeader: true,
    cell: ({ id, name }) => (
      <Link to={`destinations/${id}`}>
        <NamedId id={id} name={name} />
      </Link>
    ),
    sortBy: ({ name }) => name,
  },
  {
    name: 'state',
    title: 'State',
    cell: (one) => <DestinationState of={one} />,
    sortBy: ({ enabled, status }) => (enabled ? status : 'off'),
  },
  { name: 'type', title: 'Type', cell: ({ type }) => TYPES[type], sortBy: ({ type }) => type },
  {
    name: 'address',
    title: 'Address',
    cell: (one) => <bdi class="name">{addressOf(one)}</bdi>,
    sortBy: addressOf,
  },
  {
    name: 'broadcast',
    title: 'Generations',
    cell: ({ type, broadcast }) => (type !== 'slack' && broadcast ? 'yes' : 'no'),
    sortBy: ({ broadcast }) => Number(broadcast),
  },
  {
    name: 'workspace',
    title: 'Workspace',
    cell: ({ workspace_id: id }) => <NamedId id={id} name={workspaces.get(id)} />,
    sortBy: ({ workspace_id: id }) => workspaces.get(id) ?? id,
  },
  {
    name: 'since',
    title: 'State since',
    cell: ({ status_at: at }) => <Time at={at} />,
    sortBy: ({ status_at: at }) => at,
  },
];
