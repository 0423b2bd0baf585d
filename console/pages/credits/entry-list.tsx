import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import { useKeyNames } from '../../api/key-names.js';
import type { Names } from '../../api/names.js';
import type { CreditEntry, Operations } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { useWorkspaceNames } from '../../api/workspace-names.js';
import { query } from '../../app/router.js';
import { CsvLink } from '../../parts/csv.js';
import { FilterForm, type Filter } from '../../parts/filter-form.js';
import { Link } from '../../parts/link.js';
import { Money } from '../../parts/money.js';
import { NamedId } from '../../parts/named-id.js';
import { CursorPages } from '../../parts/pages.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time, zone } from '../../parts/time.js';
import { Balance } from './balance.js';
import { CreditsParts } from './credits-parts.js';

const PAGE_MAX = '50';
const KINDS = ['grant', 'purchase', 'adjustment', 'refund', 'generation', 'correction'] as const;

const FILTERS: readonly Filter[] = [
  { name: 'from', label: 'From (UTC)', type: 'date' },
  { name: 'to', label: 'Before (UTC)', type: 'date' },
  { name: 'kind', label: 'Kind', options: [['', 'any'], ...KINDS.map((kind) => [kind, kind] as const)] },
  { name: 'workspace_id', label: 'Workspace', hint: 'id or slug, with a day' },
];

type ListQuery = NonNullable<Operations['creditsList']['query']>;

/** List of ledger entries, newest first: credits, spend and corrections. */
export function EntryList(): JSX.Element {
  const parameters = query.value;
  const filters = Object.fromEntries(
    FILTERS.map(({ name }) => [name, parameters.get(name)] as const).filter(([, value]) => value),
  ) as ListQuery;
  const cursor = parameters.get('cursor') ?? undefined;
  const page = { ...filters, ...(cursor !== undefined && { cursor }), limit: PAGE_MAX };
  const loaded = useData(JSON.stringify(page), (signal) => call('creditsList', { query: page }, signal));
  const [keys, workspaces] = [useKeyNames(), useWorkspaceNames()];
  return (
    <>
      <h1 tabIndex={-1}>Credits and ledger</h1>
      <CreditsParts current="entries" />
      <Balance />
      <section aria-labelledby="entries">
        <h2 id="entries">Entries</h2>
        <FilterForm page="credits" filters={FILTERS} />
        <div class="toolbar">
          <Link class="button main" to="credits/new">
            Enter credits
          </Link>
          <CsvLink operation="creditsList" query={filters} file="credit-entries.csv" />
        </div>
        <Shown of={loaded}>
          {({ data, next_cursor: next }) => (
            <>
              {data.length === 0 ? (
                <Empty>
                  {Object.keys(filters).length > 0
                    ? 'No entry fits these filters here. Where there is a next page, some may follow on it.'
                    : 'There is none yet. Credits that are entered and charges of generations appear here.'}
                </Empty>
              ) : (
                <Table
                  caption="Entries, newest first"
                  hidesCaption
                  columns={columnsWith(keys, workspaces)}
                  rows={data}
                  keyOf={({ id }) => id}
                />
              )}
              <CursorPages cursor={cursor} next={next} />
            </>
          )}
        </Shown>
      </section>
    </>
  );
}

const columnsWith = (keys: Names, workspaces: Names): readonly Column<CreditEntry>[] => [
  {
    name: 'time',
    title: `Time (${zone()})`,
    cell: ({ created_at: at, entered_at: entered }) => (
      <>
        <Time at={at} />
        {/* A charge is entered when its generation is settled. */}
        {Math.abs(Date.parse(entered) - Date.parse(at)) > 3_600_000 && (
          <span class="hint">
            , entered <Time at={entered} />
          </span>
        )}
      </>
    ),
    sortBy: ({ created_at: at }) => at,
  },
  { name: 'kind', title: 'Kind', cell: ({ kind }) => kind, sortBy: ({ kind }) => kind },
  {
    name: 'amount',
    title: 'Amount',
    isNumber: true,
    cell: ({ amount }) => <Money usd={amount} />,
    sortBy: ({ amount }) => amount,
  },
  {
    name: 'generation',
    title: 'Generation',
    cell: ({ generation_id: id }) =>
      id === null ? (
        '–'
      ) : (
        <Link to={`generations/${id}`}>
          <code>{id}</code>
        </Link>
      ),
  },
  {
    name: 'key',
    title: 'Key',
    cell: ({ key }) => (key === null ? '–' : <NamedId id={key} name={keys.get(key)} />),
    sortBy: ({ key }) => key && (keys.get(key) ?? key),
  },
  {
    name: 'workspace',
    title: 'Workspace',
    cell: ({ workspace_id: id }) => (id === null ? '–' : <NamedId id={id} name={workspaces.get(id)} />),
    sortBy: ({ workspace_id: id }) => id && (workspaces.get(id) ?? id),
  },
  {
    name: 'note',
    title: 'Note',
    cell: ({ note }) => (note === null ? '–' : <bdi class="name">{note}</bdi>),
    sortBy: ({ note }) => note,
  },
];
